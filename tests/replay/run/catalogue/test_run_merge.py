"""Parts of a run become one: it is there whole or not at all, no other run is touched, and what differs by machine alone is no difference."""

import pytest

from replay.errors import StoreError
from replay.records import Ending, Moment, Record
from replay.run.catalogue.run_merge import merge_runs, merged_config
from replay.run.store import Store


def record(at):
    moment = Moment(
        tape="small", event=at, path="a.py", language="python", offset=at, line=0, character=at, t=0.0, hole=f"a:{at}"
    )
    return Record(moment=moment, ending=Ending("shown"))


@pytest.fixture
def parts(tmp_path):
    made = [tmp_path / name for name in ("one", "two")]
    for at, folder in enumerate(made):
        with Store.create(folder, {"policy": "blocks", "sources": {"small": "1"}}) as store:
            store.put(record(at))
            store.put_fact("summary", {})
    return made


def summed(_, findings, __):
    return {"moments": len(findings.records)}


def test_a_run_that_comes_there_meanwhile_stays_and_the_merge_is_refused(tmp_path, parts):
    def late(*of):
        with Store.create(tmp_path / "whole", {"policy": "other"}) as store:
            store.put_all(map(record, range(5)))
        return summed(*of)

    with pytest.raises(StoreError, match="come there meanwhile"):
        merge_runs(tmp_path / "whole", parts, late)
    with Store.open(tmp_path / "whole") as store:
        assert store.count() == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two", "whole"]


def test_a_merge_that_fails_leaves_nothing_and_its_name_is_free(tmp_path, parts):
    def failing(*_):
        raise MemoryError

    with pytest.raises(MemoryError):
        merge_runs(tmp_path / "whole", parts, failing)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    assert merge_runs(tmp_path / "whole", parts, summed).moments == 2
    with Store.open(tmp_path / "whole") as store:
        assert store.fact("summary")["run"] == str(tmp_path / "whole")


def test_until_a_merge_is_done_its_name_has_no_folder(tmp_path, parts):
    def looking(*of):
        assert not (tmp_path / "whole").exists()
        return summed(*of)

    merge_runs(tmp_path / "whole", parts, looking)


def config(provider, **options):
    return {"settings": {"provider": {"name": "openai", "model": "ada", **provider}}, "sources": {}, **options}


def merged(one, other, **how):
    return merged_config([("a", one), ("b", other)], **how)


def test_where_a_machine_has_its_clones_and_its_answers_is_no_difference():
    one = config({"answers": "/here/answers.jsonl"}, projects=["/here/clone"], answers="digest")
    other = config({"answers": "/there/answers.jsonl"}, projects=["/there/clone"], answers="digest")
    assert merged(one, other)["projects"] == ["/here/clone", "/there/clone"]
    with pytest.raises(StoreError, match="they differ in answers"):
        merged(one, other | {"answers": "another"})


ELSEWHERE = [
    (config({"base_url": "http://127.0.0.1:8080"}), config({"base_url": "http://127.0.0.1:9090"})),
    (config({"name": "gguf", "model": "/a/small.gguf"}), config({"name": "gguf", "model": "/b/small.gguf"})),
]


@pytest.mark.parametrize(("one", "other"), ELSEWHERE)
def test_a_model_at_another_address_is_the_same_only_if_the_person_says_so(one, other):
    with pytest.raises(StoreError, match="if it is the same model on another machine, add --same-model"):
        merged(one, other)
    assert merged(one, other, same_model=True)["settings"] == one["settings"]


def test_another_model_is_never_the_same_and_no_flag_is_proposed():
    one, other = config({"name": "gguf", "model": "/a/small.gguf"}), config({"name": "gguf", "model": "/a/large.gguf"})
    for same_model in (False, True):
        with pytest.raises(StoreError, match=r"they differ in settings\.provider\.model$"):
            merged(one, other, same_model=same_model)
