-- What whoever follows a session sees of its state.

-- `idle`: it has no work. `busy`: a worker runs it, or is on its way. `waiting`: its tenant has no place left. `parked`: no worker runs it any more.
create function pith.session_status(p_session pith.session) returns text language sql immutable as $$
  select case
    when p_session.busy_since is null then 'idle'
    when p_session.parked is not null then 'parked'
    when not p_session.has_place then 'waiting'
    else 'busy'
  end
$$;

create function pith.count_open_questions(p_session bigint) returns integer language sql stable as $$
  select count(*)::integer from pith.question q
    where q.session = p_session and not q.is_answered and q.expires > clock_timestamp()
$$;

-- No row: there is no such session.
create function pith.read_state(p_tenant uuid, p_session bigint)
returns table (status text, open_questions integer, token bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select pith.session_status(s), pith.count_open_questions(s.key), s.token from pith.session s
    where s.tenant = p_tenant and s.key = p_session;
end
$$;

-- Those of these sessions that have entries after p_seqs, have another state, or were erased.
create function pith.find_changed(p_keys bigint[], p_seqs integer[], p_statuses text[], p_open_questions integer[])
returns table (key bigint) language plpgsql security definer set search_path = pg_catalog as $$
declare
  across_tenants constant text := set_config('pith.across_tenants', 'on', true);
begin
  return query
    select distinct f.key from unnest(p_keys, p_seqs, p_statuses, p_open_questions) f (key, seq, status, open_questions)
      left join lateral (select s as session from pith.session s where s.key = f.key offset 0) found on true
      where found.session is null or (found.session).last_seq > f.seq
        or pith.session_status(found.session) <> f.status or pith.count_open_questions(f.key) <> f.open_questions;
end
$$;

-- A page of entries for someone who follows a session: at most p_limit, and after the first one at most p_max_bytes.
create function pith.read_page(p_tenant uuid, p_session bigint, p_seq integer, p_limit integer, p_max_bytes integer)
returns table (number integer, body text, has_more boolean) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    select p.number, p.body, p.seq < s.last_seq
      from (
        select e.seq, e.number, e.body, sum(octet_length(e.body)) over (order by e.seq) as bytes
          from pith.entry e where e.session = p_session and e.seq >= p_seq and e.seq < p_seq + p_limit
      ) p join pith.session s on s.key = p_session
      where p.bytes <= p_max_bytes or p.seq = p_seq order by p.seq;
end
$$;
