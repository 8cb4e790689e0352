-- What belongs to a tenant besides its sessions: tokens, settings, provider keys, the audit log; and how sessions and tenants are erased.

alter table pith.tenant
  -- As JSON.
  add column settings text not null default '{}',
  -- Sessions that have not changed for so many days are erased. Null: never.
  add column retention_days integer,
  add column retention_checked timestamptz,
  -- Why nothing of the tenant may be erased; null if it may.
  add column legal_hold text;

alter table pith.session
  add column legal_hold text;

-- Tokens of callers. A token that may use only one session dies with the token that made it.
create table pith.token (
  id uuid primary key,
  tenant uuid not null references pith.tenant on delete cascade,
  name text not null,
  scopes text[] not null,
  -- The only session that it may use; null: all.
  session bigint,
  created_by uuid,
  created timestamptz not null default clock_timestamp(),
  expires timestamptz,
  revoked timestamptz,
  -- Within a minute.
  used timestamptz,
  unique (tenant, id),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade,
  foreign key (tenant, created_by) references pith.token (tenant, id) on delete cascade
);

create index token_of_session on pith.token (session) where session is not null;
create index token_created_by on pith.token (created_by) where created_by is not null;

-- A token that was rotated has two secrets for a time.
create table pith.token_secret (
  -- The SHA-256 of the secret.
  hash bytea primary key,
  tenant uuid not null,
  token uuid not null,
  expires timestamptz,
  foreign key (tenant, token) references pith.token (tenant, id) on delete cascade
);

create index secret_of_token on pith.token_secret (token);

create table pith.saved_key (
  tenant uuid not null references pith.tenant on delete cascade,
  provider text not null,
  -- The id of the key that encrypted it.
  cipher_key text not null,
  nonce bytea not null,
  encrypted bytea not null,
  ending text not null,
  saved timestamptz not null default clock_timestamp(),
  primary key (tenant, provider)
);

create index saved_key_of_cipher on pith.saved_key (cipher_key, tenant, provider);

create table pith.audit (
  id bigint generated always as identity primary key,
  tenant uuid not null,
  at timestamptz not null default clock_timestamp(),
  action text not null,
  outcome text not null,
  -- The key of the session. No foreign key: the record of its erasure stays.
  session bigint,
  token uuid,
  token_name text,
  -- As JSON.
  details text
);

create index audit_of_tenant on pith.audit (tenant, id);
create index audit_of_session on pith.audit (session, id) where session is not null;

-- What was erased, while files of it may be left. Rows of tenants stay, so that no tenant gets the id of another.
create table pith.erasure (
  id bigint generated always as identity primary key,
  tenant uuid not null,
  -- Null: the tenant and all of its sessions.
  session bigint,
  erased timestamptz not null default clock_timestamp(),
  -- The worker that ran the session, until it has stopped.
  worker text,
  files_removed timestamptz
);

create unique index erased_tenant on pith.erasure (tenant) where session is null;
create index erasure_of_worker on pith.erasure (worker) where worker is not null;
create index erasure_with_files on pith.erasure (id) where files_removed is null;

do $$
declare
  name text;
  own text;
begin
  foreach name in array array['token', 'token_secret', 'saved_key', 'audit', 'erasure'] loop
    own := 'nullif(current_setting(''pith.tenant'', true), '''')::uuid';
    execute format('alter table pith.%I enable row level security', name);
    execute format('alter table pith.%I force row level security', name);
    execute format('create policy own_tenant on pith.%I using (tenant = (select %s)) with check (tenant = %s)', name, own, own);
    if name <> 'audit' then
      execute format('create policy across_tenants on pith.%I to current_user using (current_setting(''pith.across_tenants'', true) = ''on'')', name);
    end if;
  end loop;
end
$$;

-- Only for the time of the last check of retention.
create policy check_retention on pith.tenant for update to current_user
  using (current_setting('pith.across_tenants', true) = 'on');

-- After the insert, which may have waited for the end of an erasure.
create function pith.refuse_erased_tenant() returns trigger language plpgsql as $$
begin
  perform from pith.erasure e where e.tenant = new.id and e.session is null;
  if found then
    raise exception 'the tenant % was erased; use a new id', new.id using errcode = 'PT410';
  end if;
  return null;
end
$$;

create trigger refuse_erased_tenant after insert on pith.tenant
  for each row execute function pith.refuse_erased_tenant();

-- Tokens.

create function pith.is_past(p_time timestamptz) returns boolean language sql volatile as $$
  select coalesce(p_time <= clock_timestamp(), false)
$$;

-- Returns no row if there is no such session, or if the token that makes it is dead, may use one session only, or has fewer scopes.
create function pith.create_token(
  p_tenant uuid, p_id uuid, p_hash bytea, p_name text, p_scopes text[], p_session text, p_created_by uuid, p_expires_ms double precision
) returns table (created timestamptz, expires timestamptz) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session bigint;
begin
  if p_session is null then
    insert into pith.tenant (id) values (p_tenant) on conflict do nothing;
  else
    select s.key into found_session from pith.session s where s.tenant = p_tenant and s.id = p_session for key share;
    if not found then return; end if;
  end if;
  if p_created_by is not null then
    -- A lock that a revocation waits for.
    perform from pith.token t
      where t.id = p_created_by and t.revoked is null and not pith.is_past(t.expires) and t.session is null
        and ('admin' = any(t.scopes) or p_scopes <@ t.scopes)
      for share;
    if not found then return; end if;
  end if;
  return query
    with new_token as (
      insert into pith.token as t (id, tenant, name, scopes, session, created_by, expires)
        values (p_id, p_tenant, p_name, p_scopes, found_session, case when found_session is not null then p_created_by end,
          clock_timestamp() + p_expires_ms * interval '1 millisecond')
        returning t.created, t.expires
    )
    select n.created, n.expires from new_token n;
  insert into pith.token_secret (hash, tenant, token) values (p_hash, p_tenant, p_id);
end
$$;

-- Finds a token by the hash of its secret, in whatever tenant. Nothing else is found across tenants that is not an id.
create function pith.authenticate(p_hash bytea) returns table (tenant uuid, id uuid, scopes text[], session text)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  own_tenant constant text := coalesce(current_setting('pith.tenant', true), '');
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
  last_used timestamptz;
begin
  select t.tenant, t.id, t.scopes, s.id, t.used into tenant, id, scopes, session, last_used
    from pith.token_secret x
      join pith.token t on t.id = x.token
      left join pith.session s on s.key = t.session
      left join pith.token c on c.id = t.created_by
    where x.hash = p_hash
      and not pith.is_past(x.expires)
      and not pith.is_past(t.expires) and t.revoked is null
      and c.revoked is null and not pith.is_past(c.expires);
  perform set_config('pith.across_tenants', '', true);
  if tenant is null then return; end if;
  if last_used is null or last_used < clock_timestamp() - interval '1 minute' then
    perform set_config('pith.tenant', tenant::text, true);
    update pith.token t set used = clock_timestamp() where t.id = authenticate.id and t.used is not distinct from last_used;
    perform set_config('pith.tenant', own_tenant, true);
  end if;
  return next;
end
$$;

-- Not those of single sessions, of which there may be many.
create function pith.list_tokens(p_tenant uuid)
returns table (
  id uuid, name text, scopes text[], created timestamptz, expires timestamptz, revoked timestamptz, used timestamptz
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select t.id, t.name, t.scopes, t.created, t.expires, t.revoked, t.used
    from pith.token t where t.tenant = p_tenant and t.session is null order by t.created, t.id;
end
$$;

create function pith.revoke_token(p_tenant uuid, p_id uuid) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  update pith.token t set revoked = clock_timestamp() where t.tenant = p_tenant and t.id = p_id and t.revoked is null;
  return found;
end
$$;

-- Returns no row if there is no such token, or if it is dead.
create function pith.rotate_token(p_tenant uuid, p_id uuid, p_hash bytea, p_grace_ms double precision)
returns table (name text, scopes text[], created timestamptz, expires timestamptz, used timestamptz) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.token t
    where t.tenant = p_tenant and t.id = p_id and t.revoked is null and not pith.is_past(t.expires) and t.session is null
    for no key update;
  if not found then return; end if;
  update pith.token_secret x set expires = least(x.expires, clock_timestamp() + p_grace_ms * interval '1 millisecond')
    where x.token = p_id;
  insert into pith.token_secret (hash, tenant, token) values (p_hash, p_tenant, p_id);
  return query select t.name, t.scopes, t.created, t.expires, t.used from pith.token t where t.id = p_id;
end
$$;

-- Removes tokens that have been dead for a time, and old secrets. Returns how many.
create function pith.remove_dead_tokens(p_after_ms double precision, p_limit integer) returns integer
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
  before constant timestamptz := clock_timestamp() - p_after_ms * interval '1 millisecond';
  secrets integer;
  tokens integer;
begin
  delete from pith.token_secret x where x.hash in (
    select d.hash from pith.token_secret d where d.expires < before limit p_limit for update skip locked
  );
  get diagnostics secrets = row_count;
  delete from pith.token t where t.id in (
    select d.id from pith.token d where d.revoked < before or d.expires < before limit p_limit for update skip locked
  );
  get diagnostics tokens = row_count;
  return secrets + tokens;
end
$$;

create index dead_secret on pith.token_secret (expires) where expires is not null;
create index expired_token on pith.token (expires) where expires is not null;
create index revoked_token on pith.token (revoked) where revoked is not null;

-- Settings and provider keys.

-- One row for each key; one with nulls if the tenant has none. No row: there is no such tenant.
create function pith.read_tenant(p_tenant uuid)
returns table (settings text, provider text, cipher_key text, nonce bytea, encrypted bytea) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select t.settings, k.provider, k.cipher_key, k.nonce, k.encrypted
    from pith.tenant t left join pith.saved_key k on k.tenant = t.id where t.id = p_tenant order by k.provider;
end
$$;

create function pith.write_settings(p_tenant uuid, p_settings text, p_retention_days integer) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  insert into pith.tenant as t (id, settings, retention_days) values (p_tenant, p_settings, p_retention_days)
    on conflict (id) do update set settings = p_settings, retention_days = p_retention_days, retention_checked = null;
end
$$;

create function pith.save_key(p_tenant uuid, p_provider text, p_cipher_key text, p_nonce bytea, p_encrypted bytea, p_ending text)
returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  insert into pith.tenant (id) values (p_tenant) on conflict do nothing;
  insert into pith.saved_key as k (tenant, provider, cipher_key, nonce, encrypted, ending)
    values (p_tenant, p_provider, p_cipher_key, p_nonce, p_encrypted, p_ending)
    on conflict on constraint saved_key_pkey do update
      set cipher_key = p_cipher_key, nonce = p_nonce, encrypted = p_encrypted, ending = p_ending, saved = clock_timestamp();
end
$$;

create function pith.list_keys(p_tenant uuid) returns table (provider text, ending text, saved timestamptz) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select k.provider, k.ending, k.saved from pith.saved_key k where k.tenant = p_tenant order by k.provider;
end
$$;

create function pith.delete_key(p_tenant uuid, p_provider text) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  delete from pith.saved_key k where k.tenant = p_tenant and k.provider = p_provider;
  return found;
end
$$;

-- Keys that another key than this one encrypted, after those of the last batch.
create function pith.find_outdated_keys(p_cipher_key text, p_after_tenant uuid, p_after_provider text, p_limit integer)
returns table (tenant uuid, provider text) language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select k.tenant, k.provider from pith.saved_key k
    where k.cipher_key <> p_cipher_key and (p_after_tenant is null or (k.tenant, k.provider) > (p_after_tenant, p_after_provider))
    order by k.tenant, k.provider limit p_limit;
end
$$;

-- Nothing happens if the key was saved anew since it was read.
create function pith.replace_key(
  p_tenant uuid, p_provider text, p_old_nonce bytea, p_cipher_key text, p_nonce bytea, p_encrypted bytea
) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  update pith.saved_key k set cipher_key = p_cipher_key, nonce = p_nonce, encrypted = p_encrypted
    where k.tenant = p_tenant and k.provider = p_provider and k.nonce = p_old_nonce;
  return found;
end
$$;

-- The audit log. The role of the application can neither change nor remove rows, and adds them only by these functions (see migrate.ts).

-- Whoever reads the log of the tenant sees these. p_details: as JSON. A tenant that does not exist has no log.
create function pith.record_action(p_tenant uuid, p_action text, p_outcome text, p_session text, p_token uuid, p_details text)
returns void language plpgsql security definer set search_path = pg_catalog as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_token pith.token;
  found_session bigint;
begin
  perform from pith.tenant t where t.id = p_tenant for key share;
  if not found then
    raise exception 'there is no tenant %', p_tenant;
  end if;
  select * into found_token from pith.token t where t.tenant = p_tenant and t.id = p_token;
  -- A lock that an erasure waits for.
  if p_session is null then
    select s.key into found_session from pith.session s where s.key = found_token.session for key share;
  else
    select s.key into found_session from pith.session s where s.tenant = p_tenant and s.id = p_session for key share;
  end if;
  insert into pith.audit (tenant, action, outcome, session, token, token_name, details)
    values (p_tenant, p_action, p_outcome, found_session, p_token, found_token.name, p_details);
end
$$;

-- Records of the agent of one session, or nothing if it was erased.
create function pith.record_decisions(p_tenant uuid, p_session bigint, p_actions text[], p_outcomes text[], p_details text[])
returns void language plpgsql security definer set search_path = pg_catalog as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.tenant = p_tenant and s.key = p_session for key share;
  if not found then return; end if;
  insert into pith.audit (tenant, action, outcome, session, details)
    select p_tenant, p_actions[i], p_outcomes[i], p_session, p_details[i] from generate_series(1, cardinality(p_actions)) i;
end
$$;

-- The newest first. p_before: the id of the last row of the page before. p_session: only those of this session.
create function pith.list_audit(p_tenant uuid, p_before bigint, p_session text, p_limit integer)
returns table (
  id bigint, at timestamptz, action text, outcome text, session text, session_key bigint, token uuid, token_name text, details text
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  before constant bigint := coalesce(p_before, 9223372036854775807);
begin
  if p_session is null then
    return query
      select a.id, a.at, a.action, a.outcome, s.id, a.session, a.token, a.token_name, a.details
        from pith.audit a left join pith.session s on s.key = a.session
        where a.tenant = p_tenant and a.id < before order by a.id desc limit p_limit;
  else
    return query
      select a.id, a.at, a.action, a.outcome, s.id, a.session, a.token, a.token_name, a.details
        from pith.session s join pith.audit a on a.session = s.key
        where s.tenant = p_tenant and s.id = p_session and a.id < before order by a.id desc limit p_limit;
  end if;
end
$$;

-- Erasure. While a legal hold is on the tenant or the session, nothing of it is erased.

-- The lock of a key is taken before that of a tenant, and after those of sessions, as where places are counted.
create function pith.lock_tenant(p_tenant uuid) returns pith.tenant language plpgsql as $$
declare
  locked pith.tenant;
begin
  perform from pith.provider_key k where k.name = (select t.provider_key from pith.tenant t where t.id = p_tenant) for no key update;
  select * into locked from pith.tenant t where t.id = p_tenant for no key update;
  return locked;
end
$$;

-- p_session: null for the tenant. p_reason: null ends the hold. Returns whether there is such a tenant or session.
create function pith.set_legal_hold(p_tenant uuid, p_session text, p_reason text) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  if p_session is null then
    update pith.tenant t set legal_hold = p_reason where t.id = p_tenant;
  else
    update pith.session s set legal_hold = p_reason where s.tenant = p_tenant and s.id = p_session;
  end if;
  return found;
end
$$;

create function pith.list_legal_holds(p_tenant uuid) returns table (session text, reason text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    select null::text, t.legal_hold from pith.tenant t where t.id = p_tenant and t.legal_hold is not null
    union all
    select s.id, s.legal_hold from pith.session s where s.tenant = p_tenant and s.legal_hold is not null;
end
$$;

create index session_under_hold on pith.session (tenant) where legal_hold is not null;

drop function pith.erase_session(uuid, text);
drop function pith.erase_tenant(uuid);

-- Returns `erased`, `held` or `not-found`. The record of it, and where files may be left, is all that stays.
-- p_by: `retention`, or null for a caller.
create function pith.erase_session(p_tenant uuid, p_id text, p_token uuid, p_by text) returns text
language plpgsql security definer set search_path = pg_catalog as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  found_session pith.session;
  is_held boolean;
begin
  select * into found_session from pith.session s where s.tenant = p_tenant and s.id = p_id for update;
  if not found then return 'not-found'; end if;
  is_held := found_session.legal_hold is not null or (pith.lock_tenant(p_tenant)).legal_hold is not null;
  if not is_held then
    delete from pith.session s where s.key = found_session.key;
    delete from pith.entry e where e.session = found_session.key;
    delete from pith.audit a where a.session = found_session.key;
    insert into pith.erasure (tenant, session, worker) values (p_tenant, found_session.key, found_session.holder);
  end if;
  insert into pith.audit (tenant, action, outcome, session, token, token_name, details)
    values (p_tenant, 'session.erase', case when is_held then 'held' else 'done' end, found_session.key, p_token,
      (select t.name from pith.token t where t.id = p_token), case when p_by is not null then json_build_object('by', p_by)::text end);
  return case when is_held then 'held' else 'erased' end;
end
$$;

create function pith.erase_tenant(p_tenant uuid) returns text
language plpgsql security definer set search_path = pg_catalog as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  locked pith.tenant;
begin
  perform from pith.session s where s.tenant = p_tenant order by s.key for update;
  locked := pith.lock_tenant(p_tenant);
  if locked.id is null then return 'not-found'; end if;
  -- From now on no session is added.
  perform from pith.tenant t where t.id = p_tenant for update;
  perform from pith.session s where s.tenant = p_tenant and s.legal_hold is not null;
  if found or locked.legal_hold is not null then return 'held'; end if;
  insert into pith.erasure (tenant, session, worker)
    select p_tenant, s.key, s.holder from pith.session s where s.tenant = p_tenant and s.holder is not null;
  insert into pith.erasure (tenant) values (p_tenant);
  delete from pith.session s where s.tenant = p_tenant;
  delete from pith.entry e where e.tenant = p_tenant;
  delete from pith.audit a where a.tenant = p_tenant;
  delete from pith.tenant t where t.id = p_tenant;
  return 'erased';
end
$$;

-- Erased sessions that this worker may still run.
create function pith.list_erased_runs(p_worker text) returns table (id bigint, key bigint)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select e.id, e.session from pith.erasure e where e.worker = p_worker;
end
$$;

-- The worker does not run them any more. Their files may have been removed before, when it was silent; they are removed once more.
create function pith.confirm_erasures(p_worker text, p_ids bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  update pith.erasure e set files_removed = null
    where e.session is null and e.tenant in (select r.tenant from pith.erasure r where r.id = any(p_ids) and r.worker = p_worker);
  update pith.erasure e set worker = null, files_removed = null where e.id = any(p_ids) and e.worker = p_worker;
end
$$;

-- What was erased and has files that no living worker uses. Those of a tenant come after those of its sessions.
create function pith.find_erased_files(p_silent_ms integer, p_limit integer)
returns table (id bigint, tenant uuid, key bigint, worker text) language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select e.id, e.tenant, e.session, e.worker from pith.erasure e
    where e.files_removed is null and (e.worker is null or pith.is_silent(e.worker, p_silent_ms))
      and (e.session is not null
        or not exists (select from pith.erasure r where r.tenant = e.tenant and r.session is not null and r.files_removed is null))
    order by e.id limit p_limit;
end
$$;

-- Nothing happens if a worker has confirmed meanwhile. Forgets sessions whose files were removed a day ago; the audit log has them.
create function pith.mark_files_removed(p_id bigint, p_worker text) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  update pith.erasure e set files_removed = clock_timestamp() where e.id = p_id and e.worker is not distinct from p_worker;
  delete from pith.erasure e
    where e.session is not null and e.worker is null and e.files_removed < clock_timestamp() - interval '1 day';
end
$$;

-- Sessions of one tenant that have not changed for so long as it keeps them. Each tenant is looked at once in p_every_ms.
create function pith.find_outdated_sessions(p_every_ms double precision, p_limit integer) returns table (tenant uuid, session text)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
  next_tenant pith.tenant;
  count integer;
begin
  select * into next_tenant from pith.tenant t
    where t.retention_days is not null and t.legal_hold is null
      and (t.retention_checked is null or t.retention_checked < clock_timestamp() - p_every_ms * interval '1 millisecond')
    order by t.retention_checked nulls first limit 1 for no key update skip locked;
  if not found then return; end if;
  return query select s.tenant, s.id from pith.session s
    where s.tenant = next_tenant.id and s.changed < clock_timestamp() - next_tenant.retention_days * interval '1 day'
      and s.legal_hold is null and (s.busy_since is null or s.parked is not null)
    limit p_limit;
  get diagnostics count = row_count;
  -- With a full batch there may be more.
  if count < p_limit then
    update pith.tenant t set retention_checked = clock_timestamp() where t.id = next_tenant.id;
  end if;
end
$$;

create index tenant_with_retention on pith.tenant (retention_checked) where retention_days is not null;
