-- Who runs a session, what it still has to do, and which workers live.

alter table pith.session
  -- The worker that runs the session.
  add column holder text,
  -- Since when the session has work that is not done; null if it has none.
  add column busy_since timestamptz,
  -- The messages that came in, and those of them that are in the log.
  add column accepted bigint not null default 0,
  add column delivered bigint not null default 0,
  -- Takeovers from silent workers without a new entry in between, and the last entry at the first of them.
  add column takeovers integer not null default 0,
  add column takeover_seq integer,
  -- Why no worker runs the session any more.
  add column parked text;

create index busy_session on pith.session (busy_since) where busy_since is not null;
create index held_session on pith.session (holder) where holder is not null;
create index parked_session on pith.session (tenant) where parked is not null;

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
  beat timestamptz not null default now()
);

-- Functions that look at the sessions of all tenants belong to the owner of the tables, set this, and return ids only.
create policy across_tenants on pith.session for select to current_user
  using (current_setting('pith.across_tenants', true) = 'on');

create function pith.beat(p_worker text) returns void language sql as $$
  insert into pith.worker (id) values (p_worker) on conflict (id) do update set beat = clock_timestamp()
$$;

create function pith.is_silent(p_worker text, p_silent_ms integer) returns boolean language sql stable as $$
  select not exists (
    select from pith.worker w where w.id = p_worker and w.beat > clock_timestamp() - p_silent_ms * interval '1 millisecond'
  )
$$;

-- Stores a message. The same id again is the same message. Returns no row if there is no such session.
create function pith.accept_message(p_tenant uuid, p_id text, p_message text, p_kind text, p_body text, p_silent_ms integer)
returns table (key bigint, needs_wake boolean) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
  is_new boolean;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.id = p_id for update;
  if not found then
    return;
  end if;
  insert into pith.inbox (session, tenant, id, kind, body) values (found_session.key, p_tenant, p_message, p_kind, p_body)
    on conflict do nothing;
  is_new := found;
  if is_new then
    update pith.session s set accepted = s.accepted + 1, busy_since = coalesce(s.busy_since, now()) where s.key = found_session.key;
  end if;
  -- Also for a message that is known, because the wake-up of the first call may be lost.
  return query select found_session.key, (is_new or found_session.busy_since is not null) and found_session.parked is null
    and (found_session.holder is null or pith.is_silent(found_session.holder, p_silent_ms));
end
$$;

-- Takes a session for a worker if it has work and no living worker has it. Parks it after p_max_takeovers takeovers without a new entry.
create function pith.hold_session(p_tenant uuid, p_session bigint, p_worker text, p_silent_ms integer, p_max_takeovers integer)
returns table (state text, id text, header text, token bigint, leaf text, last_number integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
  is_takeover boolean;
  count integer;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.key = p_session for update;
  if not found or found_session.busy_since is null then
    return query select 'idle', null::text, null::text, null::bigint, null::text, null::integer;
    return;
  end if;
  if found_session.parked is not null then
    return query select 'parked', null::text, null::text, null::bigint, null::text, null::integer;
    return;
  end if;
  is_takeover := found_session.holder is not null and found_session.holder <> p_worker;
  if is_takeover and not pith.is_silent(found_session.holder, p_silent_ms) then
    return query select 'held', null::text, null::text, null::bigint, null::text, null::integer;
    return;
  end if;
  count := case
    when not is_takeover then found_session.takeovers
    when found_session.takeover_seq = found_session.last_seq then found_session.takeovers + 1
    else 1
  end;
  if count > p_max_takeovers then
    update pith.session s set parked = p_max_takeovers || ' workers in a row took it over and ended without a new entry', holder = null
      where s.key = p_session;
    return query select 'parked', null::text, null::text, null::bigint, null::text, null::integer;
    return;
  end if;
  return query update pith.session s
    set holder = p_worker, token = s.token + 1, takeovers = count,
      takeover_seq = case when is_takeover then s.last_seq else s.takeover_seq end
    where s.key = p_session
    returning 'taken', s.id, s.header, s.token, s.leaf, s.last_number;
end
$$;

-- The messages that are not in the log, in their order, with how many were accepted so far. One row with nulls if there are none.
create function pith.read_inbox(p_tenant uuid, p_session bigint)
returns table (accepted bigint, id text, kind text, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    select s.accepted, i.id, i.kind, i.body
    from pith.session s left join pith.inbox i on i.session = s.key and i.body is not null
    where s.tenant = p_tenant and s.key = p_session order by i.position;
end
$$;

create function pith.mark_delivered(p_tenant uuid, p_session bigint, p_ids text[]) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  count integer;
begin
  update pith.inbox i set body = null where i.session = p_session and i.id = any(p_ids) and i.body is not null;
  get diagnostics count = row_count;
  update pith.session s set delivered = s.delivered + count where s.key = p_session;
end
$$;

-- Gives a session back. p_is_done: its work is done, unless a message came in since p_accepted was read. Otherwise it stays busy for others.
-- Returns false if the session has new work and stays with its worker. A worker that was superseded changes nothing.
create function pith.release_session(
  p_tenant uuid, p_session bigint, p_token bigint, p_is_done boolean, p_accepted bigint
) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.key = p_session for update;
  if not found or found_session.token <> p_token then
    return true;
  end if;
  if p_is_done and found_session.accepted <> p_accepted then
    return false;
  end if;
  update pith.session s
    set holder = null, busy_since = case when p_is_done then null else s.busy_since end,
      takeovers = case when p_is_done then 0 else s.takeovers end
    where s.key = p_session;
  return true;
end
$$;

-- Busy sessions that no living worker has. Those that nobody has yet count only after p_wait_ms: until then a worker is on its way.
create function pith.find_stranded(p_silent_ms integer, p_wait_ms integer, p_limit integer)
returns table (tenant uuid, key bigint) language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query
    select s.tenant, s.key from pith.session s
    where s.busy_since is not null and s.parked is null and case
      when s.holder is null then s.busy_since < clock_timestamp() - p_wait_ms * interval '1 millisecond'
      else pith.is_silent(s.holder, p_silent_ms)
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

-- Lets workers try again. Returns the key, or null if the session is not parked.
create function pith.unpark_session(p_tenant uuid, p_id text) returns bigint language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  unparked bigint;
begin
  update pith.session s set parked = null, takeovers = 0, takeover_seq = null
    where s.tenant = p_tenant and s.id = p_id and s.parked is not null returning s.key into unparked;
  return unparked;
end
$$;
