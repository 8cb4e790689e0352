-- Who runs a session, what it still has to do, and which workers live.

alter table pith.session
  -- The worker that runs the session.
  add column holder text,
  -- The messages that came in, and those of them that are in the log.
  add column accepted bigint not null default 0,
  add column delivered bigint not null default 0,
  -- Takeovers from silent workers without a new entry in between, and the last entry at the first of them.
  add column takeovers integer not null default 0,
  add column takeover_seq integer;

create index held_session on pith.session (holder) where holder is not null;

-- Messages on their way into the log. The id of a message stays known after its text is in the log.
create table pith.inbox (
  session bigint not null,
  id text not null,
  tenant uuid not null,
  position bigint generated always as identity,
  kind text not null,
  -- Null if the message is in the log.
  body text,
  primary key (session, id),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

create index inbox_waiting on pith.inbox (session, position) where body is not null;

alter table pith.inbox enable row level security;
alter table pith.inbox force row level security;
create policy own_tenant on pith.inbox
  using (tenant = (select nullif(current_setting('pith.tenant', true), '')::uuid))
  with check (tenant = nullif(current_setting('pith.tenant', true), '')::uuid);

-- Not of a tenant. A worker without a recent beat is silent: others take over its sessions.
create table pith.worker (
  id text primary key,
  beat timestamptz not null default clock_timestamp(),
  -- Since when its beats have arrived in time.
  steady_since timestamptz not null default clock_timestamp()
);

create function pith.is_silent(p_worker text, p_silent_ms integer) returns boolean language sql stable as $$
  select not exists (
    select from pith.worker w where w.id = p_worker and w.beat > clock_timestamp() - p_silent_ms * interval '1 millisecond'
  )
$$;

create function pith.beat(p_worker text, p_silent_ms integer) returns void language sql as $$
  insert into pith.worker as w (id) values (p_worker) on conflict (id) do update
    set beat = clock_timestamp(), steady_since = case when pith.is_silent(w.id, p_silent_ms) then clock_timestamp() else w.steady_since end
$$;

-- After an outage of PostgreSQL every worker looks silent until it has beaten again, so only a steady worker may say so of others.
create function pith.is_steady(p_worker text, p_silent_ms integer) returns boolean language sql stable as $$
  select exists (
    select from pith.worker w
      where w.id = p_worker and w.steady_since < clock_timestamp() - p_silent_ms * interval '1 millisecond'
        and w.beat > clock_timestamp() - p_silent_ms * interval '1 millisecond'
  )
$$;

-- Stores a message. The same id again is the same message. Returns no row if there is no such session, else its key, and the session for which
-- a worker should be woken: this one, or one of the tenant that waits longer, or none.
create function pith.accept_message(p_tenant uuid, p_id text, p_message text, p_kind text, p_body text, p_silent_ms integer)
returns table (key bigint, wake bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.id = p_id for no key update;
  if not found then
    return;
  end if;
  insert into pith.inbox (session, tenant, id, kind, body) values (found_session.key, p_tenant, p_message, p_kind, p_body)
    on conflict do nothing;
  if found then
    update pith.session s set accepted = s.accepted + 1, busy_since = coalesce(s.busy_since, clock_timestamp())
      where s.key = found_session.key;
  elsif found_session.busy_since is null then
    return query select found_session.key, null::bigint;
    return;
  end if;
  -- Also for a message that is known, because the wake-up of the first call may be lost.
  return query select found_session.key, case
    when found_session.parked is not null then null
    when not found_session.has_place then pith.admit_next(p_tenant)
    when found_session.holder is null or pith.is_silent(found_session.holder, p_silent_ms) then found_session.key
  end;
end
$$;

-- The messages that wait, in their order. One is in the log already if the worker ended before it could say so.
create function pith.list_messages(p_session bigint) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', i.id, 'kind', i.kind, 'body', i.body,
      'isInLog', exists (select from pith.entry e where e.session = p_session and e.id = i.id)
    ) order by i.position), '[]')
    from pith.inbox i where i.session = p_session and i.body is not null
$$;

-- Takes a session for a worker if it has a place and no living worker has it. Parks it after p_max_takeovers takeovers without a new entry.
create function pith.hold_session(p_tenant uuid, p_session bigint, p_worker text, p_silent_ms integer, p_max_takeovers integer)
returns table (
  state text, id text, header text, token bigint, leaf text, last_number integer, accepted bigint, messages json,
  has_questions boolean, has_prepared_summary boolean
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
  is_takeover boolean;
  count integer;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.key = p_session for no key update;
  is_takeover := found_session.holder is not null and found_session.holder <> p_worker;
  state := case
    when found_session.busy_since is null then 'idle'
    when found_session.parked is not null then 'parked'
    when not found_session.has_place then 'waiting'
    when is_takeover and not pith.is_silent(found_session.holder, p_silent_ms) then 'held'
  end;
  if state is not null then
    return next;
    return;
  end if;
  count := case
    when not is_takeover then found_session.takeovers
    when found_session.takeover_seq = found_session.last_seq then found_session.takeovers + 1
    else 1
  end;
  if count > p_max_takeovers then
    update pith.session s
      set parked = p_max_takeovers || ' workers in a row took it over and ended without a new entry', holder = null, has_place = false
      where s.key = p_session;
    state := 'parked';
    return next;
    return;
  end if;
  return query update pith.session s
    set holder = p_worker, token = s.token + 1, takeovers = count,
      takeover_seq = case when is_takeover then s.last_seq else s.takeover_seq end
    where s.key = p_session
    returning 'taken', s.id, s.header, s.token, s.leaf, s.last_number, s.accepted, pith.list_messages(p_session),
      exists (select from pith.question q where q.session = p_session),
      exists (select from pith.prepared_summary p where p.session = p_session);
end
$$;

-- Forgets the texts of messages that are in the log.
create function pith.mark_delivered(p_session bigint, p_ids text[]) returns void language plpgsql as $$
declare
  count integer;
begin
  update pith.inbox i set body = null where i.session = p_session and i.id = any(p_ids) and i.body is not null;
  get diagnostics count = row_count;
  if count > 0 then
    update pith.session s set delivered = s.delivered + count where s.key = p_session;
  end if;
end
$$;

-- Returns how many messages were accepted so far, and those that are not in the log. p_delivered: those that are in the log by now.
create function pith.read_inbox(p_tenant uuid, p_session bigint, p_delivered text[])
returns table (accepted bigint, messages json) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform pith.mark_delivered(p_session, p_delivered);
  return query select s.accepted, pith.list_messages(p_session) from pith.session s where s.tenant = p_tenant and s.key = p_session;
end
$$;

-- Gives a session back. p_delivered: messages that are in its log. p_end: `done`: its work is done, unless a message came in since p_accepted
-- was read. `given-back`: another worker goes on. `waiting`: it goes on when its tenant has a place again. Returns false if the session has
-- new work and stays with its worker; else also the session that waited for the place. A worker that was superseded changes nothing.
create function pith.release_session(
  p_tenant uuid, p_session bigint, p_token bigint, p_delivered text[], p_end text, p_accepted bigint
) returns table (is_released boolean, next_tenant uuid, next_key bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
  shared_key text;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.key = p_session for no key update;
  -- Without a holder it was given back before: the first answer was lost.
  if not found or found_session.token <> p_token or found_session.holder is null then
    return query select true, null::uuid, null::bigint;
    return;
  end if;
  perform pith.mark_delivered(p_session, p_delivered);
  if p_end = 'done' and found_session.accepted <> p_accepted then
    return query select false, null::uuid, null::bigint;
    return;
  end if;
  update pith.session s
    set holder = null, has_place = (p_end = 'given-back'), placed_at = clock_timestamp(),
      busy_since = case when p_end = 'done' then null else s.busy_since end,
      takeovers = case when p_end = 'done' then 0 else s.takeovers end
    where s.key = p_session;
  if p_end = 'given-back' then
    return query select true, null::uuid, null::bigint;
    return;
  end if;
  select k.name into shared_key from pith.tenant t join pith.provider_key k on k.name = t.provider_key where t.id = p_tenant;
  if shared_key is null then
    return query select true, p_tenant, pith.admit_next(p_tenant);
  else
    return query select true, a.tenant, a.key
      from (select) one left join pith.admit_waiting(shared_key, 1) a on true;
  end if;
end
$$;

-- Busy sessions with a place that no living worker has, as far as p_worker can say. Those that nobody has yet count only after p_wait_ms: until then a worker is on its way.
create function pith.find_stranded(p_worker text, p_silent_ms integer, p_wait_ms integer, p_limit integer)
returns table (tenant uuid, key bigint) language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
  is_steady constant boolean := pith.is_steady(p_worker, p_silent_ms);
begin
  return query
    select s.tenant, s.key from pith.session s
    where s.busy_since is not null and s.has_place and case
      when s.holder is null then s.placed_at < clock_timestamp() - p_wait_ms * interval '1 millisecond'
      else is_steady and pith.is_silent(s.holder, p_silent_ms)
    end
    order by s.busy_since limit p_limit;
end
$$;

-- The sessions of a worker, or those of them that messages wait for.
create function pith.list_held(p_worker text, p_with_messages boolean) returns table (tenant uuid, key bigint)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select s.tenant, s.key from pith.session s
    where s.holder = p_worker and (not p_with_messages or s.accepted > s.delivered);
end
$$;

create function pith.list_parked(p_tenant uuid) returns table (key bigint, id text, parked text, busy_since timestamptz)
language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.key, s.id, s.parked, s.busy_since from pith.session s
    where s.tenant = p_tenant and s.parked is not null order by s.busy_since;
end
$$;

-- Lets workers try again. Returns whether it was parked, and the session for which a worker should be woken.
create function pith.unpark_session(p_tenant uuid, p_id text) returns table (was_parked boolean, wake bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  update pith.session s set parked = null, takeovers = 0, takeover_seq = null
    where s.tenant = p_tenant and s.id = p_id and s.parked is not null;
  return query select found, case when found then pith.admit_next(p_tenant) end;
end
$$;

-- The sessions of a worker whose tenant or key has used up its tokens or money.
create function pith.list_spent(p_worker text) returns table (tenant uuid, key bigint)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query
    with held as materialized (
      select s.tenant, s.key from pith.session s where s.holder = p_worker
    ), spent as materialized (
      select t.id from pith.tenant t left join pith.provider_key k on k.name = t.provider_key
        where t.id in (select h.tenant from held h)
          and (coalesce(t.max_tokens, k.max_tokens) is not null or coalesce(t.max_cost, k.max_cost) is not null)
          and pith.is_spent(t.id)
    )
    select h.tenant, h.key from held h join spent on spent.id = h.tenant;
end
$$;
