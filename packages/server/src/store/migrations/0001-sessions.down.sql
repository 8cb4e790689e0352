drop table pith.searchable_entry, pith.prepared_summary, pith.blob, pith.entry, pith.segment, pith.session, pith.tenant;
