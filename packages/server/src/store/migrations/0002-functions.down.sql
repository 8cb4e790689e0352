drop routine pith.search_entries, pith.read_indexed_seq, pith.index_entries, pith.common_ancestor, pith.read_children, pith.read_entries_of_type, pith.read_entries_from,
  pith.read_entry_by_number, pith.read_entry, pith.read_branch, pith.append_facts, pith.branch_segments,
  pith.append, pith.erase_session, pith.erase_tenant, pith.list_sessions, pith.open_session, pith.create_session,
  pith.keep_blob, pith.read_blob, pith.find_blobs,
  pith.read_position, pith.read_prepared_summary, pith.write_prepared_summary, pith.set_tenant;
