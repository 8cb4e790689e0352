-- Reads and appends, each in one round trip. They run with the rights of the caller; row-level security decides what they see.
-- Each sets the tenant in a declaration, which costs less than a statement.

create function pith.set_tenant(p_tenant uuid) returns void language sql as $$
  select set_config('pith.tenant', p_tenant::text, true)
$$;

create function pith.create_session(p_tenant uuid, p_id text, p_header text, p_last_number integer)
returns bigint language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  created bigint;
begin
  insert into pith.tenant (id) values (p_tenant) on conflict do nothing;
  insert into pith.session (tenant, id, header, last_number) values (p_tenant, p_id, p_header, p_last_number)
    on conflict do nothing returning session.key into created;
  -- A session that is as new as this one is the same: its answer was lost.
  return coalesce(created, (
    select s.key from pith.session s where s.tenant = p_tenant and s.id = p_id and s.header = p_header and s.last_seq = -1
  ));
end
$$;

-- A writer raises the token, so that the writers before it are refused from now on.
create function pith.open_session(p_tenant uuid, p_id text, p_is_writer boolean)
returns table (key bigint, header text, token bigint, leaf text, last_number integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  if p_is_writer then
    return query update pith.session s set token = s.token + 1 where s.tenant = p_tenant and s.id = p_id
      returning s.key, s.header, s.token, s.leaf, s.last_number;
  else
    return query select s.key, s.header, s.token, s.leaf, s.last_number
      from pith.session s where s.tenant = p_tenant and s.id = p_id;
  end if;
end
$$;

-- A page of the sessions, the last changed first. p_after: the time in microseconds and the id of the last session of the page before.
create function pith.list_sessions(p_tenant uuid, p_after bigint, p_after_id text, p_limit integer)
returns table (
  id text, header text, created timestamptz, changed timestamptz, changed_us bigint, entry_count integer, name text
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    with page as (
      select s.*, (extract(epoch from s.changed) * 1000000)::bigint as us from pith.session s where s.tenant = p_tenant
    )
    select p.id, p.header, p.created, p.changed, p.us, p.last_seq + 1,
        (select e.body from pith.entry e where e.session = p.key and e.type = 'session_info' order by e.seq desc limit 1)
      from page p where p_after is null or (p.us, p.id collate "C") < (p_after, p_after_id)
      order by p.us desc, p.id collate "C" desc limit p_limit;
end
$$;

create function pith.erase_session(p_tenant uuid, p_id text) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  erased bigint;
begin
  delete from pith.session s where s.tenant = p_tenant and s.id = p_id returning s.key into erased;
  delete from pith.entry e where e.session = erased;
  return erased is not null;
end
$$;

-- Appends a batch if the token, the leaf and the numbers are as expected. Returns the last number in use, or -1 if something is not as
-- expected; then nothing is written. Most batches have one entry, so the first one is passed as values; p_more has the others.
--
-- p_parent: null appends at the leaf; otherwise the segment, the position and the context_start of another parent, or nulls for no parent.
-- p_context_start: null is that of the parent for all entries; -n is the n-th entry of the batch.
-- p_new_leaf, p_leaf_context_start and p_last_number are those of the last entry.
create function pith.append(
  p_tenant uuid, p_session bigint, p_token bigint, p_leaf text, p_parent integer[],
  p_id text, p_type text, p_number integer, p_context_start integer, p_body text, p_more jsonb,
  p_new_leaf text, p_last_number integer, p_leaf_context_start integer
) returns integer language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  size constant integer := 1 + coalesce(jsonb_array_length(p_more), 0);
  more record;
  new_segment integer;
  new_context_start integer;
  new_number integer;
  first_seq integer;
begin
  update pith.session u set
      leaf = p_new_leaf,
      last_seq = u.last_seq + size,
      last_segment = u.last_segment + case when u.leaf is null or p_parent is not null then 1 else 0 end,
      leaf_segment = case when u.leaf is null or p_parent is not null then u.last_segment + 1 else u.leaf_segment end,
      leaf_context_start = case
        when p_leaf_context_start < 0 then u.last_seq - p_leaf_context_start
        else coalesce(p_leaf_context_start, case when p_parent is null then u.leaf_context_start else p_parent[3] end, u.last_seq + 1)
      end,
      last_number = greatest(p_last_number, u.last_number),
      changed = now()
    where u.key = p_session and u.token = p_token and u.leaf is not distinct from p_leaf
      and (p_number is null or p_number > u.last_number)
    returning u.leaf_segment, u.leaf_context_start, u.last_number, u.last_seq - size + 1
    into new_segment, new_context_start, new_number, first_seq;
  if not found then
    return -1;
  end if;
  if p_leaf is null or p_parent is not null then
    insert into pith.segment (session, segment, tenant, parent_segment, parent_seq, first_seq)
      values (p_session, new_segment, p_tenant, p_parent[1], p_parent[2], first_seq);
  end if;
  insert into pith.entry (session, seq, tenant, id, segment, context_start, number, type, body) values (
    p_session, first_seq, p_tenant, p_id, new_segment,
    case when p_context_start < 0 then first_seq - p_context_start - 1 else coalesce(p_context_start, new_context_start) end,
    p_number, p_type, p_body
  );
  if size = 1 then
    return new_number;
  end if;
  for more in
    select e.*, row_number() over () as index
      from jsonb_to_recordset(p_more) as e (id text, type text, number integer, context_start integer, body text)
  loop
    insert into pith.entry (session, seq, tenant, id, segment, context_start, number, type, body) values (
      p_session, first_seq + more.index, p_tenant, more.id, new_segment,
      case when more.context_start < 0 then first_seq - more.context_start - 1 else coalesce(more.context_start, new_context_start) end,
      more.number, more.type, more.body
    );
  end loop;
  return new_number;
end
$$;

create function pith.erase_tenant(p_tenant uuid) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  delete from pith.session s where s.tenant = p_tenant;
  delete from pith.entry e where e.tenant = p_tenant;
  delete from pith.tenant t where t.id = p_tenant;
  return found;
end
$$;

-- The segments of the branch that ends at this entry, from its end to p_from, each with its first and last entry on the branch.
create function pith.branch_segments(p_session bigint, p_segment integer, p_seq integer, p_from integer)
returns table (segment integer, first_seq integer, last_seq integer) language sql stable as $$
  with recursive branch as (
    select g.segment, g.first_seq, p_seq as last_seq, g.parent_segment, g.parent_seq
      from pith.segment g where g.session = p_session and g.segment = p_segment
    union all
    select g.segment, g.first_seq, b.parent_seq, g.parent_segment, g.parent_seq
      from branch b join pith.segment g on g.session = p_session and g.segment = b.parent_segment
      where b.first_seq > p_from
  )
  select branch.segment, branch.first_seq, branch.last_seq from branch
$$;

-- What decides on a batch: the entries with these ids, which of them are on the branch of the parent, and the session as it is now.
create function pith.append_facts(p_tenant uuid, p_session bigint, p_ids text[], p_parent text)
returns table (
  token bigint, leaf text, last_number integer,
  id text, seq integer, segment integer, context_start integer, number integer, type text, body text, is_on_branch boolean
) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  parent pith.entry;
begin
  select * into parent from pith.entry e where e.session = p_session and e.id = p_parent;
  return query
    with branch as materialized (select * from pith.branch_segments(p_session, parent.segment, parent.seq, 0))
    select s.token, s.leaf, s.last_number, e.id, e.seq, e.segment, e.context_start, e.number, e.type, e.body,
        exists (select from branch b where b.segment = e.segment and e.seq <= b.last_seq)
      from pith.session s left join pith.entry e on e.session = p_session and e.id = any(p_ids)
      where s.key = p_session;
end
$$;

-- The entries of a branch in order: those that the context at the leaf needs, or all.
create function pith.read_branch(p_tenant uuid, p_session bigint, p_leaf text, p_is_whole boolean)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  leaf pith.entry;
begin
  select * into leaf from pith.entry e where e.session = p_session and e.id = p_leaf;
  if p_is_whole then leaf.context_start := 0; end if;
  return query
    select e.number, e.body
      from pith.branch_segments(p_session, leaf.segment, leaf.seq, leaf.context_start) b
      cross join lateral (
        select n.seq, n.number, n.body from pith.entry n
          where n.session = p_session and n.segment = b.segment
            and n.seq between greatest(b.first_seq, leaf.context_start) and b.last_seq
          offset 0
      ) e
      order by e.seq;
end
$$;

create function pith.read_entry(p_tenant uuid, p_session bigint, p_id text)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select e.number, e.body from pith.entry e where e.session = p_session and e.id = p_id;
end
$$;

create function pith.read_entry_by_number(p_tenant uuid, p_session bigint, p_number integer)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select e.number, e.body from pith.entry e
    where e.session = p_session and e.number = p_number order by e.seq desc limit 1;
end
$$;

create function pith.read_entries_from(p_tenant uuid, p_session bigint, p_seq integer, p_limit integer)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select e.number, e.body from pith.entry e
    where e.session = p_session and e.seq >= p_seq order by e.seq limit p_limit;
end
$$;

create function pith.read_entries_of_type(p_tenant uuid, p_session bigint, p_type text)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select e.number, e.body from pith.entry e
    where e.session = p_session and e.type = p_type
      and e.type in ('label', 'session_info', 'branch_summary') order by e.seq;
end
$$;

-- A child is the next entry of the same segment, or the first one of a segment that begins there. No id: the roots.
create function pith.read_children(p_tenant uuid, p_session bigint, p_id text)
returns table (number integer, body text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  parent pith.entry;
begin
  select * into parent from pith.entry e where e.session = p_session and e.id = p_id;
  if parent.seq is null and p_id is not null then return; end if;
  return query
    select e.number, e.body
      from (
        (select n.seq from pith.entry n
          where n.session = p_session and n.segment = parent.segment and n.seq > parent.seq order by n.seq limit 1)
        union all
        select g.first_seq from pith.segment g
          where g.session = p_session
            and g.parent_segment is not distinct from parent.segment and g.parent_seq is not distinct from parent.seq
      ) child
      join pith.entry e on e.session = p_session and e.seq = child.seq
      order by e.seq;
end
$$;

-- The last entry that both branches share. is_known: whether both entries exist.
create function pith.common_ancestor(p_tenant uuid, p_session bigint, p_one text, p_other text)
returns table (known_one boolean, known_other boolean, id text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
  one pith.entry;
  other pith.entry;
begin
  select * into one from pith.entry e where e.session = p_session and e.id = p_one;
  select * into other from pith.entry e where e.session = p_session and e.id = p_other;
  return query
    select one.seq is not null, other.seq is not null, (
      select e.id
        from pith.branch_segments(p_session, one.segment, one.seq, 0) a
        join pith.branch_segments(p_session, other.segment, other.seq, 0) b on a.segment = b.segment
        join pith.entry e on e.session = p_session and e.seq = least(a.last_seq, b.last_seq)
        order by e.seq desc limit 1
    );
end
$$;

create function pith.read_position(p_tenant uuid, p_session bigint)
returns table (leaf text, last_number integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.leaf, s.last_number from pith.session s where s.key = p_session;
end
$$;

create function pith.read_prepared_summary(p_tenant uuid, p_session bigint) returns table (text text) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select p.text from pith.prepared_summary p where p.session = p_session;
end
$$;

-- Nothing happens if another writer has taken over.
create function pith.write_prepared_summary(p_tenant uuid, p_session bigint, p_token bigint, p_text text)
returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.key = p_session and s.token = p_token for share;
  if not found then return; end if;
  if p_text is null then
    delete from pith.prepared_summary p where p.session = p_session;
  else
    insert into pith.prepared_summary as p (session, tenant, text) values (p_session, p_tenant, p_text)
      on conflict (session) do update set text = p_text;
  end if;
end
$$;

-- Returns whether the tenant has the session. If not, nothing shows whether another tenant has it, or the blob.
create function pith.keep_blob(p_tenant uuid, p_session bigint, p_hash text, p_bytes bytea) returns boolean language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  perform from pith.session s where s.key = p_session for key share;
  if not found then return false; end if;
  insert into pith.blob (session, hash, tenant, bytes) values (p_session, p_hash, p_tenant, p_bytes) on conflict do nothing;
  return true;
end
$$;

create function pith.read_blob(p_tenant uuid, p_session bigint, p_hash text, p_start integer, p_length integer)
returns table (bytes bytea, size integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select substring(b.bytes from p_start + 1 for p_length), octet_length(b.bytes)
    from pith.blob b where b.session = p_session and b.hash = p_hash;
end
$$;

create function pith.find_blobs(p_tenant uuid, p_session bigint, p_digits text)
returns table (hash text, bytes integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select b.hash, octet_length(b.bytes)
    from pith.blob b where b.session = p_session and starts_with(b.hash, p_digits) order by b.hash;
end
$$;

-- Adds entries to the index of the search. Nothing happens if another search has added them.
create function pith.index_entries(
  p_tenant uuid, p_session bigint, p_from integer, p_next integer,
  p_seqs integer[], p_tools text[], p_words text[], p_texts text[]
) returns void language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  update pith.session s set indexed_seq = p_next where s.key = p_session and s.indexed_seq = p_from;
  if not found then return; end if;
  insert into pith.searchable_entry (session, seq, tenant, tools, words, text)
    select p_session, p_seqs[i], p_tenant, string_to_array(p_tools[i], E'\n'), array_to_tsvector(string_to_array(p_words[i], ' ')), p_texts[i]
      from generate_series(1, cardinality(p_seqs)) i;
end
$$;

create function pith.read_indexed_seq(p_tenant uuid, p_session bigint)
returns table (indexed_seq integer, entries integer) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query select s.indexed_seq, s.last_seq + 1 from pith.session s where s.key = p_session;
end
$$;

-- The entries with any of the terms, the best first: a term that few entries have counts more. Without terms, the newest first.
create function pith.search_entries(
  p_tenant uuid, p_session bigint, p_terms text[], p_path text, p_tool text, p_offset integer, p_limit integer
) returns table (id text, text text, total bigint) language plpgsql as $$
declare
  tenant constant text := set_config('pith.tenant', p_tenant::text, true);
begin
  return query
    with allowed as materialized (
      select s.seq, s.words from pith.searchable_entry s
        where s.session = p_session
          and (p_tool is null or p_tool = any(s.tools)) and (p_path is null or s.words @@ p_path::tsquery)
    ), matching as (
      select a.seq, t.i from allowed a join unnest(p_terms) with ordinality t (term, i) on a.words @@ t.term::tsquery
    ), weight as (
      select m.i, ln(1 + (select count(*) from allowed) / count(*)::float8) as weight from matching m group by m.i
    ), ranked as (
      select m.seq, sum(w.weight) as score from matching m join weight w using (i) group by m.seq
      union all
      select a.seq, 0 from allowed a where cardinality(p_terms) = 0
    ), page as (
      select r.seq, r.score from ranked r order by r.score desc, r.seq desc offset p_offset limit p_limit
    )
    -- One row without an id if the page is empty, because every row has the total.
    select e.id, s.text, t.total
      from (select count(*) as total from ranked) t
      left join page p on true
      left join pith.entry e on e.session = p_session and e.seq = p.seq
      left join pith.searchable_entry s on s.session = p_session and s.seq = p.seq
      order by p.score desc, p.seq desc;
end
$$;
