-- What the API shows and does besides sending messages, and what operators look at.

-- A session as the API shows it.
create function pith.read_session(p_tenant uuid, p_id text)
returns table (
  key bigint, created timestamptz, changed timestamptz, leaf text, last_seq integer, name text, status text, open_questions integer
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.key, s.created, s.changed, s.leaf, s.last_seq,
      (select e.body from pith.entry e where e.session = s.key and e.type = 'session_info' order by e.seq desc limit 1),
      pith.session_status(s), pith.count_open_questions(s.key)
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

-- Sessions of all tenants that have work: ids and times, and nothing that a user wrote.
create function pith.list_work(p_limit integer)
returns table (tenant uuid, id text, status text, holder text, busy_since timestamptz, changed timestamptz, parked text)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query select s.tenant, s.id,
      pith.session_status(s),
      s.holder, s.busy_since, s.changed, s.parked
    from pith.session s where s.busy_since is not null order by s.busy_since limit p_limit;
end
$$;
