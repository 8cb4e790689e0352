-- How much of the workers and of the models a tenant may use, and which of its sessions wait.

alter table pith.tenant
  add column max_runs integer not null default 100,
  -- Per day (UTC). The cost is in dollars. Null: no limit.
  add column max_tokens bigint,
  add column max_cost numeric,
  -- The provider key that its sessions use. Several tenants may share one.
  add column provider_key text not null default '',
  -- How many of its sessions have a place, and when one got its place last.
  add column places integer not null default 0,
  add column placed_at timestamptz;

-- The limits of a provider key, over all tenants that use it. A key without a row has none.
create table pith.provider_key (
  name text primary key,
  max_runs integer,
  max_tokens bigint,
  max_cost numeric,
  places integer not null default 0
);

create table pith.usage (
  tenant uuid not null references pith.tenant on delete cascade,
  provider_key text not null,
  day date not null,
  tokens bigint not null,
  cost numeric not null,
  primary key (tenant, provider_key, day)
);

create index usage_of_key on pith.usage (provider_key, day);

alter table pith.usage enable row level security;
alter table pith.usage force row level security;
create policy own_tenant on pith.usage
  using (tenant = (select nullif(current_setting('pith.tenant', true), '')::uuid))
  with check (tenant = nullif(current_setting('pith.tenant', true), '')::uuid);
create policy across_tenants on pith.usage for select to current_user
  using (current_setting('pith.across_tenants', true) = 'on');
create policy across_tenants on pith.tenant for select to current_user
  using (current_setting('pith.across_tenants', true) = 'on');

-- Functions that look at all tenants belong to the owner of the tables, set this, and return ids only.
create policy across_tenants on pith.session for select to current_user
  using (current_setting('pith.across_tenants', true) = 'on');

-- A busy session has a place, waits for one, or is parked. Workers run only sessions with a place.
alter table pith.session
  -- Since when the session has work that is not done; null if it has none.
  add column busy_since timestamptz,
  add column has_place boolean not null default false,
  -- When it got its place: a worker is on its way.
  add column placed_at timestamptz,
  -- Why no worker runs the session any more.
  add column parked text;

create index busy_session on pith.session (busy_since) where busy_since is not null;
create index parked_session on pith.session (tenant) where parked is not null;

create index waiting_session on pith.session (tenant, busy_since) where busy_since is not null and not has_place and parked is null;

-- Whoever changes has_place, or deletes a session with a place, changes the counts. The lock of a key is taken before that of a tenant.
create function pith.count_places() returns trigger language plpgsql as $$
declare
  change constant integer := case when tg_op = 'UPDATE' and new.has_place then 1 else -1 end;
begin
  update pith.provider_key k set places = k.places + change
    where k.name = (select t.provider_key from pith.tenant t where t.id = old.tenant);
  update pith.tenant t
    set places = t.places + change, placed_at = case when change = 1 then clock_timestamp() else t.placed_at end
    where t.id = old.tenant;
  return null;
end
$$;

create trigger count_places after update of has_place on pith.session
  for each row when (old.has_place <> new.has_place) execute function pith.count_places();
create trigger count_deleted_places after delete on pith.session
  for each row when (old.has_place) execute function pith.count_places();

-- Limits. Null for no limit, except the runs of a tenant.
create function pith.set_tenant_limits(
  p_tenant uuid, p_max_runs integer, p_max_tokens bigint, p_max_cost numeric, p_provider_key text
) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  old_key text;
begin
  insert into pith.tenant (id) values (p_tenant) on conflict do nothing;
  select t.provider_key into old_key from pith.tenant t where t.id = p_tenant;
  if old_key <> p_provider_key then
    perform from pith.provider_key k where k.name in (old_key, p_provider_key) order by k.name for no key update;
  end if;
  update pith.tenant t
    set max_runs = p_max_runs, max_tokens = p_max_tokens, max_cost = p_max_cost, provider_key = p_provider_key
    where t.id = p_tenant;
  if old_key <> p_provider_key then
    update pith.provider_key k
      set places = k.places + case when k.name = old_key then -1 else 1 end * (select t.places from pith.tenant t where t.id = p_tenant)
      where k.name in (old_key, p_provider_key);
  end if;
end
$$;

-- The row counts the places that tenants with this key have already.
create function pith.set_key_limits(p_name text, p_max_runs integer, p_max_tokens bigint, p_max_cost numeric)
returns void language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  insert into pith.provider_key as k (name, max_runs, max_tokens, max_cost, places)
    values (p_name, p_max_runs, p_max_tokens, p_max_cost,
      (select coalesce(sum(t.places), 0) from pith.tenant t where t.provider_key = p_name))
    on conflict (name) do update set max_runs = p_max_runs, max_tokens = p_max_tokens, max_cost = p_max_cost;
end
$$;

create function pith.today() returns date language sql stable as $$
  select (clock_timestamp() at time zone 'utc')::date
$$;

create function pith.is_key_spent(p_name text, p_max_tokens bigint, p_max_cost numeric)
returns boolean language plpgsql stable security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return coalesce((
    select sum(u.tokens) >= p_max_tokens or sum(u.cost) >= p_max_cost
      from pith.usage u where u.provider_key = p_name and u.day = pith.today()
  ), false);
end
$$;

-- Whether the tenant or its key has used up the tokens or the money of the day.
create function pith.is_spent(p_tenant uuid) returns boolean language plpgsql stable as $$
declare
  limits pith.tenant;
  key_limits pith.provider_key;
begin
  select * into limits from pith.tenant t where t.id = p_tenant;
  if limits.max_tokens is not null or limits.max_cost is not null then
    perform from pith.usage u where u.tenant = p_tenant and u.day = pith.today()
      having sum(u.tokens) >= limits.max_tokens or sum(u.cost) >= limits.max_cost;
    if found then return true; end if;
  end if;
  select * into key_limits from pith.provider_key k where k.name = limits.provider_key;
  return found and (key_limits.max_tokens is not null or key_limits.max_cost is not null)
    and pith.is_key_spent(key_limits.name, key_limits.max_tokens, key_limits.max_cost);
end
$$;

-- Gives a place to the tenant's session that waits longest, if the tenant and its key have one left. Returns the session, or null.
create function pith.admit_next(p_tenant uuid) returns bigint language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  next_session bigint;
begin
  perform from pith.tenant t where t.id = p_tenant and t.places < t.max_runs;
  if not found or pith.is_spent(p_tenant) then return null; end if;
  select s.key into next_session from pith.session s
    where s.tenant = p_tenant and s.busy_since is not null and not s.has_place and s.parked is null
    order by s.busy_since limit 1 for no key update skip locked;
  if not found then return null; end if;
  perform from pith.provider_key k where k.name = (select t.provider_key from pith.tenant t where t.id = p_tenant) for no key update;
  perform from pith.tenant t left join pith.provider_key k on k.name = t.provider_key
    where t.id = p_tenant and t.places < t.max_runs and (k.max_runs is null or k.places < k.max_runs)
    for no key update of t;
  if not found then return null; end if;
  update pith.session s set has_place = true, placed_at = clock_timestamp() where s.key = next_session;
  return next_session;
end
$$;

-- Gives free places to waiting sessions, at most one of each tenant. First come tenants with the fewest places, then those that got none for the
-- longest time.
-- p_provider_key: only tenants that use this key; null: all.
create function pith.admit_waiting(p_provider_key text, p_limit integer) returns table (tenant uuid, key bigint)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  own_tenant constant text := coalesce(current_setting('pith.tenant', true), '');
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
  candidates uuid[];
  admitted integer := 0;
begin
  with recursive waiting as (
    (select s.tenant from pith.session s
      where s.busy_since is not null and not s.has_place and s.parked is null order by s.tenant limit 1)
    union all
    select (select s.tenant from pith.session s
      where s.busy_since is not null and not s.has_place and s.parked is null and s.tenant > w.tenant order by s.tenant limit 1)
      from waiting w where w.tenant is not null
  )
  select array_agg(t.id order by t.places, t.placed_at nulls first) into candidates
    from waiting w join pith.tenant t on t.id = w.tenant
    where t.places < t.max_runs and (p_provider_key is null or t.provider_key = p_provider_key);
  perform set_config('pith.across_tenants', '', true);
  foreach tenant in array coalesce(candidates, '{}') loop
    key := pith.admit_next(tenant);
    if key is not null then
      admitted := admitted + 1;
      return next;
    end if;
    exit when admitted = p_limit;
  end loop;
  perform set_config('pith.tenant', own_tenant, true);
end
$$;

-- Appends as `append` does, and counts what the entries used, in the same transaction.
create function pith.append_and_count(
  p_tenant uuid, p_session bigint, p_token bigint, p_leaf text, p_parent integer[],
  p_id text, p_type text, p_number integer, p_context_start integer, p_body text, p_more jsonb,
  p_new_leaf text, p_last_number integer, p_leaf_context_start integer, p_tokens bigint, p_cost numeric
) returns integer language plpgsql as $$
declare
  result constant integer := pith.append(
    p_tenant, p_session, p_token, p_leaf, p_parent, p_id, p_type, p_number, p_context_start, p_body, p_more,
    p_new_leaf, p_last_number, p_leaf_context_start
  );
begin
  if result >= 0 then
    insert into pith.usage as u (tenant, provider_key, day, tokens, cost)
      select t.id, t.provider_key, pith.today(), p_tokens, p_cost from pith.tenant t where t.id = p_tenant
      on conflict (tenant, provider_key, day) do update set tokens = u.tokens + p_tokens, cost = u.cost + p_cost;
  end if;
  return result;
end
$$;
