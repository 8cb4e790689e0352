drop function pith.read_page, pith.find_changed, pith.read_state, pith.count_open_questions, pith.session_status;
