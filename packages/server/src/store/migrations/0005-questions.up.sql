-- Permission questions that wait for an answer. A lost row is no loss: a session that is woken asks again.

create table pith.question (
  session bigint not null,
  -- Stands for everything that the question says.
  id text not null,
  tenant uuid not null,
  -- The question as JSON.
  body text not null,
  asked timestamptz not null default clock_timestamp(),
  expires timestamptz not null,
  is_answered boolean not null default false,
  primary key (session, id),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

create index question_expiry on pith.question (expires) where not is_answered;

alter table pith.question enable row level security;
alter table pith.question force row level security;
create policy own_tenant on pith.question
  using (tenant = (select nullif(current_setting('pith.tenant', true), '')::uuid))
  with check (tenant = nullif(current_setting('pith.tenant', true), '')::uuid);
create policy across_tenants on pith.question for select to current_user
  using (current_setting('pith.across_tenants', true) = 'on');

-- Returns `superseded` if another worker has taken over, `answered` if an answer was accepted before, else `asked`.
create function pith.ask_question(
  p_tenant uuid, p_session bigint, p_token bigint, p_id text, p_body text, p_expires_ms double precision
) returns text language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.key = p_session and s.token = p_token for share;
  if not found then return 'superseded'; end if;
  perform from pith.inbox i where i.session = p_session and i.id = 'answer-' || p_id;
  if found then return 'answered'; end if;
  insert into pith.question (session, id, tenant, body, expires)
    values (p_session, p_id, p_tenant, p_body, clock_timestamp() + p_expires_ms * interval '1 millisecond')
    on conflict do nothing;
  return 'asked';
end
$$;

-- Accepts the first answer as a message, and returns what `accept_message` returns. No row: there is no such question, or it has an answer,
-- or it has expired and this is not the answer for that.
create function pith.answer_question(
  p_tenant uuid, p_id text, p_question text, p_body text, p_is_expiry boolean, p_silent_ms integer
) returns table (key bigint, wake bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  update pith.question q set is_answered = true
    from pith.session s
    where s.tenant = p_tenant and s.id = p_id and q.session = s.key and q.id = p_question
      and not q.is_answered and (q.expires > clock_timestamp()) <> p_is_expiry;
  if found then
    return query select * from pith.accept_message(p_tenant, p_id, 'answer-' || p_question, 'answer', p_body, p_silent_ms);
  end if;
end
$$;

create function pith.list_questions(p_tenant uuid)
returns table (session text, id text, body text, asked timestamptz, expires timestamptz) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.id, q.id, q.body, q.asked, q.expires
    from pith.question q join pith.session s on s.key = q.session
    where q.tenant = p_tenant and not q.is_answered and q.expires > clock_timestamp() order by q.asked;
end
$$;

-- Removes questions of a session: this one, or all.
create function pith.close_questions(p_tenant uuid, p_session bigint, p_id text) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  delete from pith.question q where q.session = p_session and (p_id is null or q.id = p_id);
end
$$;

create function pith.find_expired_questions(p_limit integer) returns table (tenant uuid, session text, question text)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select q.tenant, s.id, q.id
    from pith.question q join pith.session s on s.key = q.session
    where not q.is_answered and q.expires <= clock_timestamp() order by q.expires limit p_limit;
end
$$;
