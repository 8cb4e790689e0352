-- Commands of users, such as a move or a compaction. They come in as messages; what came of one stays known.

alter table pith.inbox add column result text;

-- Only the worker that has the session may say what came of a command. From then on nobody runs it again.
create function pith.finish_command(p_tenant uuid, p_session bigint, p_token bigint, p_id text, p_result text)
returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.key = p_session and s.token = p_token for no key update;
  if not found then return false; end if;
  update pith.inbox i set result = p_result, body = null where i.session = p_session and i.id = p_id and i.body is not null;
  if found then
    update pith.session s set delivered = s.delivered + 1 where s.key = p_session;
  end if;
  return true;
end
$$;

-- No row: the session has no such command. A null result: it waits or runs.
create function pith.read_command(p_tenant uuid, p_id text, p_command text) returns table (result text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select i.result from pith.inbox i join pith.session s on s.key = i.session
    where s.tenant = p_tenant and s.id = p_id and i.id = p_command and i.kind = 'command';
end
$$;
