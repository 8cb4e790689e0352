-- Commands of users, such as a move or a compaction. They come in as messages; what came of one stays known.

alter table pith.inbox add column result text;

-- Only the worker that has the session may say what came of a command.
create function pith.finish_command(p_tenant uuid, p_session bigint, p_token bigint, p_id text, p_result text)
returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.key = p_session and s.token = p_token for share;
  if not found then return false; end if;
  update pith.inbox i set result = p_result where i.session = p_session and i.id = p_id and i.result is null;
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

-- A session as the API shows it. `waiting`: no worker runs it yet.
create function pith.read_session(p_tenant uuid, p_id text)
returns table (
  key bigint, created timestamptz, changed timestamptz, leaf text, last_seq integer, name text, state text, questions integer
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.key, s.created, s.changed, s.leaf, s.last_seq,
      (select e.body from pith.entry e where e.session = s.key and e.type = 'session_info' order by e.seq desc limit 1),
      case
        when s.busy_since is null then 'idle'
        when s.parked is not null then 'parked'
        when s.holder is null then 'waiting'
        else 'running'
      end,
      (select count(*)::integer from pith.question q
        where q.session = s.key and not q.is_answered and q.expires > clock_timestamp())
    from pith.session s where s.tenant = p_tenant and s.id = p_id;
end
$$;

-- The last changed sessions of a tenant whose newest entries are not in the index of the search.
create function pith.list_unindexed(p_tenant uuid, p_limit integer) returns table (key bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.key from pith.session s
    where s.tenant = p_tenant and s.indexed_seq <= s.last_seq order by s.changed desc limit p_limit;
end
$$;

-- Entries that contain all terms, of the 1,000 sessions of a tenant that changed last. The newest come first.
create function pith.search_sessions(p_tenant uuid, p_terms text[], p_offset integer, p_limit integer)
returns table (session text, id text, text text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    with recent as materialized (
      select s.key, s.id, s.changed from pith.session s where s.tenant = p_tenant order by s.changed desc limit 1000
    )
    select r.id, e.id, f.text
      from recent r
        join pith.searchable_entry f on f.session = r.key
        join pith.entry e on e.session = f.session and e.seq = f.seq
      where f.words @@ array_to_string(p_terms, ' & ')::tsquery
      order by r.changed desc, f.seq desc offset p_offset limit p_limit;
end
$$;

-- Copies what a fork refers to.
create function pith.copy_blobs(p_tenant uuid, p_from bigint, p_to bigint) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  insert into pith.blob (session, hash, tenant, bytes)
    select p_to, b.hash, b.tenant, b.bytes from pith.blob b where b.session = p_from on conflict do nothing;
end
$$;
