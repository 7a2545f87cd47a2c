"""Test runs in terminals: what is one, what its output says, and that its command gives no secret away."""

import re

import pytest

from replay.recording.recorder import PROGRAM_IN_LINE, Recorder, commands_that_test, run_of
from replay.recording.secrets.redaction import Redactor
from replay.tapes.tape import Run
from server.lsp.editor_events import TerminalCommandEnded

RUNS = """
pytest
pytest -q tests/test_a.py::test_b
pytest 2>&1 | tail -5
python -m pytest -x
.venv/bin/python3.11 -m unittest discover
.venv/bin/pytest -q
uv run pytest -q
nice -n 19 pytest
time coverage run -m pytest
tox -e py311
cd sub && pytest -q
source .venv/bin/activate; pytest
CI=1 npm test
npm run test
npm t
npx --yes jest
npx vitest run
pnpm vitest
yarn test
node --import tsx --test tests/
go test ./...
cargo +nightly test
cargo nextest run
./gradlew :app:test
mvn -q clean verify
dotnet test
make -j4 check
bundle exec rspec
ctest --output-on-failure
"""
NONE = """
ls
git commit -m "pytest"
pip install pytest
npm install jest
cat pytest.ini
pytest.ini
vim tests/test_pytest.py
grep -r pytest .
echo pytest
cd pytest
python main.py
npm run build
npm run test-data
npm run testing
cargo build
go run test.go
make
make tests.o
tape.py
code vitest.config.ts
git commit -m 'pytest; pytest'
git commit -m "see $(cat a); pytest"
ssh host 'cd x; pytest'
echo ';' pytest
echo "it's; pytest
a=(pytest)
"""
PYTEST = "\x1b[31mF\x1b[0m\x1b[32m.\x1b[0m\r\n\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m\x1b[31m in 0.01s\x1b[0m\r\n"


@pytest.mark.parametrize("command", RUNS.strip().splitlines())
def test_a_command_line_that_runs_tests_is_one(command):
    kept = (
        command.removeprefix("cd sub && ").removeprefix("source .venv/bin/activate; ").removesuffix(" 2>&1 | tail -5")
    )
    assert commands_that_test(command) == kept
    assert re.search(PROGRAM_IN_LINE, command)


@pytest.mark.parametrize("command", NONE.strip().splitlines())
def test_one_that_only_names_a_test_runner_is_none(command):
    assert not commands_that_test(command)


@pytest.mark.parametrize(
    ("command", "output", "status", "told"),
    [
        ("pytest -q", PYTEST, 1, (2, 1, 1)),
        ("pytest -q", PYTEST, None, (2, 1, 1)),
        ("npx vitest run", " Test Files  1 passed (1)\r\n      Tests  3 passed (3)\r\n", 0, (3, 0, 0)),
        ("go test ./...", "ok  \tm/a\t0.01s\nFAIL\tm/b\t0.02s\n", 1, (1, 1, 1)),
        ("make test", "cc: error\n", 2, (0, 0, 2)),
        ("pytest", "", 130, (0, 0, 130)),
    ],
)
def test_the_output_says_how_many_passed_and_the_shell_how_it_ended(command, output, status, told):
    run = run_of(5.0, f" {command}\n", output, status)
    assert (run.t, run.command) == (5.0, command)
    assert (run.passed, run.failed, run.exit) == told


def test_a_run_of_which_nothing_is_known_is_no_event():
    assert run_of(5.0, "pytest", "", None) is None
    assert run_of(5.0, "ls", "1 passed in 0.01s", 0) is None


def test_the_recorder_keeps_test_runs_and_no_other_command():
    recorder = Recorder(lambda uri: uri)
    assert recorder.take(1.0, TerminalCommandEnded("cat notes.txt", "1 passed in 0.01s\n", 0)) == []
    assert recorder.take(2.0, TerminalCommandEnded("pytest", "3 passed in 0.01s\n", 0)) == [Run(2.0, "pytest", 3, 0, 0)]


SECRET = "blueHorse42Staple"
SECRETS = """
mysql -pSECRET shop < x.sql; pytest
PGPASSWORD=SECRET pytest
curl -u me:SECRET http://h/ && pytest
curl -H 'Authorization: Bearer SECRET' http://h && pytest
sshpass -p SECRET ssh h; pytest
sshpass -p 'SECRET' scp a b; pytest
export DB_PASS=SECRET; pytest
MYSQL_PWD=SECRET pytest
pytest --password SECRET
pytest --password 'SECRET'
pytest --db-url postgres://u:SECRET@h/d
pytest postgres://u:SECRET@h/d
docker login -u me -p SECRET && make test
pytest -k 'x' --api-key=SECRET
redis-cli -a SECRET flushall; pytest
echo SECRET | docker login --password-stdin; pytest
PASS=SECRET npm test
PASS='two SECRET words' npm test
PASS="SECRET" npm test
PASS=a\\ SECRET npm test
aws configure set aws_secret_access_key SECRET && pytest
set -gx TOKEN SECRET; pytest
$env:TOKEN='SECRET'; pytest
psql "host=h password=SECRET" && pytest
curl https://h/hook/T00/B00/XSECRET99 && pytest
vault login s.SECRET; pytest
SECRET='SECRET' pytest
openssl enc -k SECRET -in a; pytest
kinit <<< SECRET; pytest
pytest <<< SECRET
pytest > SECRET
pytest # SECRET
pytest -p SECRET
pytest -pSECRET
pytest -u me:SECRET
pytest me:SECRET@host
pytest --token "SECRET" -q
pytest --header 'X-Api: SECRET'
make test PASS=SECRET
mvn -q -Dpassword=SECRET test
mvn -DSECRET test
dotnet test -p:Password=SECRET
npm test -- --pw SECRET
env A=1 TOKEN=SECRET pytest
pytest -k "$(vault read SECRET)"
pytest -k `cat SECRET`
"""


@pytest.mark.parametrize("command", SECRETS.strip().splitlines())
def test_no_four_characters_in_a_row_of_a_secret_in_a_command_line_are_recorded(command):
    kept = commands_that_test(command.replace("SECRET=", "S=").replace("SECRET", SECRET))
    assert not [at for at in range(len(SECRET) - 3) if SECRET[at : at + 4] in kept]
    assert kept or "`" in command or "$(" in command
    assert not kept or re.search(PROGRAM_IN_LINE, command), "else the editor would not send it"


@pytest.mark.parametrize("command", ["cat <<EOF\npytest --token blue\nEOF\npytest", "cat <<-'EOF' > a\npytest\nEOF"])
def test_nothing_of_a_here_document_is_a_command(command):
    assert not commands_that_test(command)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("export TOKEN=abc; PASS=def pytest -q | tail", "PASS=*** pytest -q"),
        ("pytest -q && npm test; ls", "pytest -q; npm test"),
        ("(cd sub; pytest 'tests/a.py::t[x y]' -k 'a and not b')", "pytest ******************** -k 'a and not b'"),
        ("pytest \\\n  -x tests/a.py --lf", "pytest -x tests/a.py --lf"),
        ("ls\npytest &> log", "pytest"),
        ("CI=1 NODE_ENV=test npm test -- --coverage src", "CI=1 NODE_ENV=test npm test -- --coverage src"),
        ("pytest --cov=src --tb short -vv tests", "pytest --cov=src --tb short -vv tests"),
    ],
)
def test_only_the_commands_that_run_tests_are_recorded(line, kept):
    assert commands_that_test(line) == kept


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        ("GITHUB_TOKEN=ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ pytest", "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"),
        ("DB_PASSWORD=hunter2hunter2 pytest -q", "hunter2hunter2"),
        ("API_KEY='a1b2c3d4' npm test", "a1b2c3d4"),
        ("DATABASE_URL=postgres://bob:s3cr3tP4ssw0rd@db.example/x pytest", "s3cr3tP4ssw0rd"),
        ("pytest --password hunter2hunter2", "hunter2hunter2"),
        ("pytest --api-key=hunter2hunter2", "hunter2hunter2"),
    ],
)
def test_a_credential_in_a_command_is_covered(command, secret):
    redactor = Redactor()
    redactor.take(Run(1.0, command, 1, 0, 0))
    (run,) = redactor.release()
    assert run.command == command.replace(secret, "*" * len(secret))


def test_a_known_value_is_covered_in_a_command_that_was_written_already():
    redactor = Redactor()
    run = Run(1.0, "pytest -k blueHorse42Staple", 1, 0, 0)
    redactor.take(run)
    assert redactor.release() == [run]
    redactor.know_values(["blueHorse42Staple"])
    redactor.look_back([run])
    assert redactor.must_rewrite
    assert [each.command for each in redactor.release([run])] == [f"pytest -k {'*' * 17}"]
