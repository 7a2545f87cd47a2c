"""The words that a real person accepted."""

from replay.play.users.user import next_word
from replay.tapes.tape import Ghost


def test_a_real_person_s_accepted_words_are_the_next_word_of_what_was_shown(long_session):
    ghosts = [event for event in long_session.events if isinstance(event, Ghost)]
    shown = {ghost.request: ghost.text for ghost in ghosts if ghost.phase == "shown"}
    parts = [(ghost.text, shown[ghost.request]) for ghost in ghosts if ghost.phase == "part"]
    agree = [part == text[: next_word(text, "typescript")] for part, text in parts]
    assert (len(agree), agree.count(False)) == (11, 1)  # one was taken from a suggestion in several places
