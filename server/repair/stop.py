from server.repair.draft import Draft
def repair(draft: Draft) -> str:
    return draft.text
def is_worth_asking(piece): return "\n" in piece
def is_finished(draft): return False
