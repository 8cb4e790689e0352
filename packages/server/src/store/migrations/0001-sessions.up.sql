-- Sessions, their entries and branches, their blobs and the index of their search.
--
-- Ids are stored as the inside of a JSON string, because text in PostgreSQL can hold neither U+0000 nor a lone surrogate.
-- Each function sets the tenant for its own transaction, so that a read or an append takes one round trip.

create table pith.tenant (
  id uuid primary key,
  created timestamptz not null default now()
);

create table pith.session (
  key bigint generated always as identity primary key,
  tenant uuid not null references pith.tenant,
  id text not null,
  -- The first line of the session file, exactly as written.
  header text not null,
  created timestamptz not null default now(),
  changed timestamptz not null default now(),
  -- Raised when a writer opens the session. An append with a lower token is refused.
  token bigint not null default 0,
  leaf text,
  last_seq integer not null default -1,
  -- The leaf's segment, and where the context of the leaf begins.
  leaf_segment integer,
  leaf_context_start integer,
  last_segment integer not null default -1,
  last_number integer not null,
  -- Entries before this one are in the index of the search.
  indexed_seq integer not null default 0,
  unique (tenant, id),
  unique (tenant, key)
) with (fillfactor = 70);

-- A run of entries in which each follows the one before it. A branch begins after an entry of another segment.
create table pith.segment (
  session bigint not null,
  segment integer not null,
  tenant uuid not null,
  parent_segment integer,
  parent_seq integer,
  first_seq integer not null,
  primary key (session, segment),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

create index segment_parent on pith.segment (session, parent_segment, parent_seq);

create table pith.entry (
  session bigint not null,
  -- The position in the log, counted from 0.
  seq integer not null,
  tenant uuid not null,
  id text not null,
  segment integer not null,
  -- The first entry that the context at this entry needs.
  context_start integer not null,
  number integer,
  type text not null,
  -- The line of the session file, exactly as written, without its checksum.
  body text not null,
  primary key (session, seq),
  unique (session, id)
  -- No foreign key: an append has the lock of its session's row, and the functions that erase a session or a tenant delete its entries.
) partition by hash (session);

do $$
begin
  for part in 0..15 loop
    execute format('create table pith.entry_%s partition of pith.entry for values with (modulus 16, remainder %s)', part, part);
  end loop;
end
$$;

create index entry_segment on pith.entry (session, segment, seq);
create index entry_number on pith.entry (session, number);
create index entry_of_type on pith.entry (session, type, seq)
  where type in ('label', 'session_info', 'branch_summary');

create table pith.blob (
  session bigint not null,
  hash text not null,
  tenant uuid not null,
  bytes bytea not null,
  primary key (session, hash),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

-- Not compressed, so that a range is read without the rest.
alter table pith.blob alter column bytes set storage external;

create table pith.prepared_summary (
  session bigint primary key,
  tenant uuid not null,
  text text not null,
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

create table pith.searchable_entry (
  session bigint not null,
  seq integer not null,
  tenant uuid not null,
  tools text[] not null,
  words tsvector not null,
  text text not null,
  primary key (session, seq),
  foreign key (tenant, session) references pith.session (tenant, key) on delete cascade
);

-- A row is visible only while its tenant is set, also to the owner of the tables. The condition on what is read is computed once for each
-- statement; that on what is written is cheaper without a subquery, as is that on sessions, of which a statement reads one.
do $$
declare
  name text;
  own text;
begin
  foreach name in array array['tenant', 'session', 'segment', 'entry', 'blob', 'prepared_summary', 'searchable_entry'] loop
    own := 'nullif(current_setting(''pith.tenant'', true), '''')::uuid';
    execute format('alter table pith.%I enable row level security', name);
    execute format('alter table pith.%I force row level security', name);
    execute format('create policy own_tenant on pith.%I using (%I = %s) with check (%I = %s)',
      name, case name when 'tenant' then 'id' else 'tenant' end,
      case name when 'session' then own else '(select ' || own || ')' end,
      case name when 'tenant' then 'id' else 'tenant' end, own);
  end loop;
end
$$;
