"""Questions that mean harm, and a small table whose names and cells do too.

`TEXTS` are of ordinary size; `GROWING` makes inputs of any size; `differing` compares an engine
with the one in memory on every question that can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan

import polars as pl

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.core.secret import Exact
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.query.form import Given
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from query.naive import Cell, Row

Totals = list[int | tuple[int, ...]]

# The table ---------------------------------------------------------------------------------------

ODD_NAMES = (
    "^.*$", "*", "a; drop table t; --", "__class__", "select", "ключ", "a\u202eb", '"', "'", "%s",
    "{0}", "$1", "[x]", "a.b", "\\", "case", "like", "given", "by", "null", "１",
)  # fmt: skip

_NUMBERS = (None, nan, inf, -inf, -0.0, 1.0, 2.5, -1e308, 1.7976931348623157e308, 5e-324, 12.0)
_TEXTS = (
    None, "", "x", "X", "é", "e\u0301", "\0", "a\0b", "'", '"', "\\", "%", "_", "--", "x' or 1=1",
    "x\ny", "\u202ex", "\ufeffx", "𝔸", "ﬁ", "ß", "null", "NaN", "x" * 5_000, "*", "^.*$", " x",
)  # fmt: skip
_DAYS = (None, 0.0, -1.0, 1.0, 15_857.0, -719_162.0, 2_932_896.0)
_MOMENTS = (None, 0.0, -1.0, 1.0, 1_370_089_805_250_000.0, -(2.0**52), 2.0**52)

ROW_COUNT = 220


def rows() -> list[Row]:
    """The table row by row, with dates and moments as numbers; NaN is null, as it is held."""

    def plain(cell: Cell) -> Cell:
        return None if cell != cell else cell

    found: list[Row] = []
    for i in range(ROW_COUNT):
        row: dict[str, Cell] = {
            "a": _NUMBERS[i % len(_NUMBERS)],
            "b": _NUMBERS[i // 3 % len(_NUMBERS)],
            "s": _TEXTS[i % len(_TEXTS)],
            "f": (True, False, None)[i % 3],
            "d": _DAYS[i % len(_DAYS)],
            "m": _MOMENTS[i // 2 % len(_MOMENTS)],
        }
        row |= {name: float((i + place) % 7) for place, name in enumerate(ODD_NAMES)}
        found.append({name: plain(cell) for name, cell in row.items()})
    return found


def table_frame() -> pl.DataFrame:
    """The same as a frame."""
    content = rows()
    types: dict[str, pl.DataType] = {"s": pl.String(), "f": pl.Boolean()}
    series = []
    for name in content[0]:
        cells = [row[name] for row in content]
        column = pl.Series(name, cells, dtype=types.get(name, pl.Float64()))
        if name == "d":
            column = column.cast(pl.Int32).cast(pl.Date)
        if name == "m":
            column = column.cast(pl.Int64).cast(pl.Datetime("us"))
        series.append(column)
    return pl.DataFrame(series)


def table() -> Table:
    """The same, held in memory."""
    return in_memory(table_frame())


# Payloads ----------------------------------------------------------------------------------------

_SQL = (
    "' or '1'='1", "'; drop table t; --", "x' --", "x' #", "x'/*", "*/ or 1=1 /*",
    "' union select 1", "1; select pg_sleep(10)", "pg_sleep(10)", "sleep(10)",
    "load_file('/etc/passwd')", "read_csv('/etc/passwd')", "read_text('/etc/passwd')",
    "system('id')", "xp_cmdshell('id')", "copy t to '/tmp/x'", "attach 'x.db'", "install httpfs",
    "load httpfs", "pragma version", "chr(39)", "char(39)", "concat(s, s)", "s || s = 'xx'",
    "a::text = '1'", "cast(a as text) = '1'", "$$x$$", "$tag$x$tag$", "s = $$x$$", "s = E'x\\'x'",
    "s = U&'\\0027'", "s = N'x'", "s = X'27'", "s = b'x'", "s = q'[x]'", "s = 'x\\'",
    "s = 'x\\' or 1=1 --'", "s = 'x\\\\'", 's = "x\\"', "s = 'x' 'y'", "s = 'x''y'", "s = ''''",
    's = """"', "s = ''", "[a] > 1", "a > (select 1)", "exists(select 1)", "a in (select a)",
    "a > all(select 1)", "a = any(1)", "a ~ 'x'", "s ~* 'x'", "s similar to 'x'",
    "s regexp '(a+)+$'", "s rlike 'x'", "s glob '*'", "s ilike 'x%'", "s like 'x' escape '!'",
    "s like '%%'", "s like '%'", "s like '_'", "s like 'x\\'", "s like '\\%'", "s like '\\\\'",
    "s like '%x%y%'", "s collate nocase = 'x'", "a is distinct from 1", "a is true", "a is not 1",
    "a is nan", "current_user = 'x'", "now() > d", "random() < 0.5", "rowid = 1", "ctid = '(0,1)'",
    "_rowid_ = 1", "t.a > 1", '"a" > 1', "`a` > 1", "`a``b` > 1", "`a\\`` > 1", "a > 1;",
    "a > 1; a > 2", "a > 1 -- x", "a > 1 --", "a > 1 /* x */", "a > 1 # x", "a > 1 //",
    "a > 1 limit 1", "a > 1 order by a", "a > 1 group by a", "a > 1 having 1", "count(*) > 1",
    "sum(a) > 1", "max(a) > 1", "lag(a) > 1", "a over () > 1", "coalesce(a, 1) > 0",
    "nullif(a, 1)", "greatest(a, 1) > 0", "try(1/0)", "error('x')", "raise_error(s)",
    "assert_true(f)", "a > :p", "a > ?", "a > $1", "a > %s", "a > %(x)s", "a > @x",
    "a > @@version", "a > &x", "a > {x}", "1/0 > a", "a / 0 > 1", "a / (1 - 1) > 1",
    "a / (0 * a) > 1", "a % 2 = 1", "a ^ 2 > 1", "a ** 2 > 1", "a << 1 > 1", "a >> 1 > 1",
    "~a > 1", "!f", "~f", "not f", "a <=> 1", "a !< 1", "a =< 1", "a => 1",
)  # fmt: skip

_PYTHON = (
    "__import__('os').system('id')", "exec('1')", "eval('1')", "open('/etc/passwd').read()",
    "lambda: 1", "(lambda x: x)(1) > 0", "[x for x in (1, 2)]", "{x for x in (1,)}", "f'{a}'",
    "s = f'{a}'", "s = '{a.__class__}'", "s = '%(a)s'", "s = r'x'", "s = u'x'", "a.__class__ == 1",
    "().__class__.__mro__", "@a > 1", "@df.shape", "a @ b", "a.abs() > 1", "a if f else b",
    "a := 1", "a > 1 if True else 0", "globals()", "locals()['x']", "index > 1", "level_0 > 1",
    "a.isin([1])", "a // 2 > 1", "a > 1j", "a > 0b1", "a > 0o7", "a > 0x10", "a > 1L", "None",
    "a is None", "True", "a == True", "f == 1", "f > false", "f = f", "f != f", "a > True",
    "breakpoint()", "quit()", "a;import os", "a\nimport os", "print(a)", "yield a", "await a",
    "*a > 1", "**a > 1", "...", "a[0] > 1", "a[:] > 1", "a['x'] > 1", "s[0] = 'x'", "del a",
    "pass", "assert f", "a, b", "(a,)", "()", "[]", "{}", "(f)", "[f]", "((f))", "(a) > (1)",
    "a > (1", "a > 1)", "a > [1)", "a in 1", "a in ()", "a in (1,)", "a in (,1)", "a in (1 2)",
    "a in (b)", "a in (1, 'x')", "a in ('x')", "s in (1)", "s in ('x', null)", "a in (null)",
    "a not in (1, 2)", "a not not in (1)",
)  # fmt: skip

_OTHER = (
    "^.*$", "*", "`^.*$` > 1", "`*` > 1", "`a; drop table t; --` > 1", "`__class__` > 1",
    "`select` > 1", "`ключ` > 1", "ключ > 1", "`a\u202eb` > 1", '`"` > 1', "`'` > 1", "`%s` > 1",
    "`{0}` > 1", "`$1` > 1", "`[x]` > 1", "`a.b` > 1", "`\\` > 1", "`case` > 1", "case > 1",
    "like > 1", "given > 1", "by > 1", "given given > 1 given given > 2", "like like 'x'",
    "`null` > 1", "null > 1", "`１` > 1", "１ > 1", "f by `by` (1, 2)", "f by by (1, 2)",
    "{{7*7}}", "${7*7}", "<%= 7 %>", "#{7}", "{% x %}", "%n%n%n", "%s%s%s", "{0.__class__}",
    "$(id)", "`id`", "; id", "| id", "&& id", "a > 1 && f", "a > 1 || f", "a > 1 & f", "a > 1 | f",
    "> /tmp/x", "$HOME", "~root", "../../etc/passwd", "file:///etc/passwd", "http://127.0.0.1/",
    "\\\\host\\x", "<script>alert(1)</script>", "s = '<script>alert(1)</script>'", "javascript:1",
    "s = '[red]x'", "s = '\x1b[2J\x1b]0;x\x07'", "\x1b[2J", "`\x1b[2J` > 1", "s = '\x9b2J'",
    "s = '\r\nx'", "\x7f", "histogram(s = '\x1b[2J')", "histogram(s, ('\x1b[2J', '\x1b[2J'))",
    "mean('\x1b[2J')", "s > '\x1b[2J'", "d > '\x1b[2J'", "s like '\x1b_'", "date '\x1b[2J' < d",
    "a ＞ 1", "a > １", "ａ > 1", "a ＝ 1", "（a > 1）", "a > 1 ａｎｄ f", "a\u202e > 1",
    "\u202ea > 1", "a\u200b > 1", "a \u200b> 1", "\ufeffa > 1", "a > 1\ufeff", "а > 1",
    "а\u0301 > 1", "e\u0301 > 1", "a\0 > 1", "\0", "s = '\0'", "s = 'a\0b'", "s = '\ud800'",
    "\udfff", "a\u00a0>\u00a01", "a\u2003> 1", "a\u3000> 1", "a\u1680> 1", "a\u2028> 1",
    "a\u2029> 1", "a\x85> 1", "a\x0b> 1", "a\x0c> 1", "a\x1c> 1", "a\x1f> 1", "a > ١٢", "a > १२",
    "a > 1٢", "a > ١.٥", "a > 1e٢", "a > ²", "a > 1²", "a > ½", "a > Ⅷ", "a > 一", "a > 𝟏",
    "a ≥ 1", "a ≠ 1", "a − 1 > 0", "a – 1 > 0", "a × 2 > 1", "a ÷ 2 > 1", "not\u00a0f", "ıs null",
    "a İN (1)", "a ıs null", "s liKe 'x'", "𝐚 > 1", "a > ∞", "s = 'é'", "s = 'e\u0301'", "s = 'ﬁ'",
    "s = 'fi'", "s = 'ß'", "s = 'SS'", "s = 'ẞ'", "s = '𝔸'", "s = '‘x’'", "s = ’x’", "s = “x”",
    "«a» > 1", "contains(s, '𝔸')", "startswith(s, '\u202e')", "contains(s, '\0')",
    "endswith(s, 'b')", "contains(s, '')", "not contains(s, '')", "startswith(s, s)",
    "contains(a, 'x')", "contains(s, 1)", "contains('x', s)", "contains(s 'x')",
)  # fmt: skip

_NUMBERS_WRITTEN = (
    "1e999", "-1e999", "1e-999", "-1e-999", "1e308", "1.7976931348623157e308",
    "1.7976931348623159e308", "4.9e-324", "2e-324", "0x10", "0b1", "0o7", "1_000", "1_000__0",
    "_1", "1_", "1__0", "1_.5", "1._5", ".5", "5.", ".", "..", ".5.5", "1.2.3", "1e", "1e+",
    "1e1e1", "1e1.5", "1e0x1", "+1", "++1", "--1", "-+-1", "- - -1", "1 000", "1,000", "1'000",
    "1e5000000000", "00001", "-0", "-0.0", "0e0", "nan", "inf", "-inf", "infinity", "NaN", "1d",
    "1f", "1L", "1e400 - 1e400", "1e308 * 10", "1e308 + 1e308", "1e308 + 1e308 - 1e308",
    "1 / 1e-320", "1 / 0", "0 / 0", "1 / -0.0", "1e-200 * 1e-200",
)  # fmt: skip

_DATES_WRITTEN = (
    "2013-02-29", "2012-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01",
    "-0001-01-01", "2013-00-01", "2013-13-01", "2013-01-00", "2013-01-32", "2013-1-1", "20130101",
    "2013-W01-1", "2013-001", "01/02/2013", "2013-01-01T", "2013-01-01T24:00",
    "2013-01-01T23:59:60", "2013-01-01T23:59:59.9999999", "2013-01-01T23:59:59.999999",
    "2013-01-01T00:00:00." + "0" * 99, "2013-01-01 12:30+99:99", "2013-01-01 12:30-99:99",
    "2013-01-01 12:30+23:59", "0001-01-01 00:00+23:59", "9999-12-31 23:59-23:59",
    "2013-01-01 12:30 UTC", "2013-01-01T12:30Z", "2013-01-01 12:30z", "2013-01-01 12:30+0200",
    "2013-01-01 12", "2013-01-01T12:30:05,5", "now", "today", "infinity", "-infinity", "epoch",
    "٢٠١٣-٠١-٠١", "2013−01−01", "2013-01-01\n", " 2013-01-01", "2013-01-01\0",
    "2013-01-01 ' or 1=1", "", "x" * 300,
)  # fmt: skip

_FORMS = (
    "mean(a, 0, 1)", "mean(a, 1, 0)", "mean(a, 0, 0)", "mean(a, -1e308, 1e308)",
    "mean(a, 0, 1e308)", "mean(a, 0, 5e-324)", "mean(a, 0, 1, 2)", "mean(a, 0, 1, 0.5)",
    "mean(a, -0, 0.5)", "mean(a, 0)", "mean(a)", "mean()", "mean(s, 0, 1)", "mean(f, 0, 1)",
    "mean(d, 0, 1)", "mean(1, 0, 1)", "mean(a, b, 1)", "mean(mean(a, 0, 1), 0, 1)",
    "mean(a, 0, 1) > 0.5", "mean(a, 0, 1) + 1", "mean(a, 0, 1) given f",
    "mean(a, 0, 1) given true", "mean(a, 0, 1) given a = a", "mean(if(f, null, a), -1, 1) given f",
    "mean(a, 0, 1) where b > 0", "mean(a, 0, 1) by f", "mean(a, 0, 1) by b (0)",
    "mean(a, 0, 1) by s ('x', 'X', '\0', '')", "mean(a, 0, 1) by s", "mean(a / b, -1, 1)",
    "mean(b - b, -1, 1)", "mean(abs(a), 0, 1)", "mean(clip(a, 0, 1), 0, 1)", "f given f",
    "f given not f", "f given a > 1", "f given f or a > 1", "a > 1 given a > 0",
    "a > 1 given a > 0 given f", "f by f", "f by f by f", "f by f given f", "f by a (1)",
    "f by a (1, 1)", "f by a (2, 1)", "f by a ()", "f by a", "f by (a) (1)",
    "f by a bins(0, 1, 3)", "f by 1 (1)", "f by d ('2013-01-01')",
    "f by m ('2013-01-01', '2014-01-01')", "f by s ('x', 'x')", "f by s ('\x1b', '\x1b')",
    "f by year(d) (1970, 2013)", "histogram(a, (0, 1))", "histogram(a)", "histogram(f)",
    "histogram(s)", "histogram(s, ('x', '', 'é', 'e\u0301', '\0', '%'))",
    "histogram(s, ('x', 'x'))", "histogram(a, (1, 0))", "histogram(a, (0, 1e999))",
    "histogram(a, ())", "histogram(a, bins(0, 1, 10))", "histogram(a, bins(0, 1, 0))",
    "histogram(a, bins(0, 1, 1e9))", "histogram(a, bins(1, 0, 2))",
    "histogram(a, bins(0, 5e-324, 3))", "histogram(a, bins(0, 1, 2.5))", "histogram(a, (0), f)",
    "histogram(a, (0), mean(b, -1, 1))", "histogram(a, (0), a)", "histogram(d, ('2013-06-01'))",
    "histogram(m, ('2013-06-01 12:30:05.25'))", "histogram(a / a, (0))", "quantile(a, 0.5, 0, 1)",
    "quantile(a, 0, 0, 1)", "quantile(a, 1, 0, 1)", "quantile(a, 5e-324, 0, 1)",
    "quantile(a, 0.5, 0, 1, 1)", "quantile(a, 0.5, 0, 1, 2)", "quantile(a, 0.5, 0, 1, 2.5)",
    "quantile(a, 0.5, 0, 1, 1e300)", "quantile(a, 0.5, 0, 5e-324)",
    "quantile(a, 0.5, -1e308, 1e308)", "quantile(a, 0.5, 1, 0)", "quantile(s, 0.5, 0, 1)",
    "quantile(a, 0.5, 0, 1) given f", "share(f)", "share(f) by f", "share(share(f))", "share(a)",
    "SHARE(f) GIVEN a > 1", "histogram(f) by f", "a between 1 and 2", "a between 2 and 1",
    "a between b and 1", "a not between 1 and 2", "1 < a < 2", "1 < a > b < 2 = 2",
    "d between '2013-01-01' and '2014-01-01'", "d between '2014-01-01' and '2013-01-01'",
    "m between '2000-01-01' and '0001-01-01 00:00+12:00'", "d - '2013-01-01' > 1", "d + d > 1",
    "d + 1 > '2013-01-01'", "m + 1e300 > '2013-01-01'", "d + 1e308 * 10 > '2013-01-01'", "d > m",
    "d = m", "d in ('2013-06-01', '2013-06-01 00:00')", "m - d > 0", "-d > 1", "d > 1", "d > s",
    "year(d) = 2013", "hour(d) = 1", "hour(m) = 12", "weekday(d + 1) = 1",
    "year('2013-01-01') = 2013", "second(m) >= 0", "case when a > 1 then 1 end > 0",
    "case when f then 1 else null end is null", "case end > 0", "case when f then s end = 'x'",
    "case when a then 1 end > 0", "if(f, 1, 0) > 0", "if(f, 1) > 0", "if(f, null, null) is null",
    "if(true, a, b) > 0", "clip(a, 0, 1) > 0.5", "clip(a, 1, 0) > 0.5", "clip(a, b, 1) > 0.5",
    "clip(a, 0, 1) is not null", "clip(a, 0, 1) >= 0.5 or clip(a, 0, 1) < 0.5", "abs(a) > 1",
    "abs(-a) > 1", "abs() > 1", "abs(s) > 1", "a is null", "a is not null", "s is null",
    "f is null", "a + b is null", "'x' is null", "1 is null", "a = a", "a != a", "a < a", "s = s",
    "s != s", "a > 1 and a < 1", "a > 1 or a <= 1", "true", "false", "not true", "f and true",
    "f or false", "f and not f", "f or not f", "a - a = 0", "0 * a = 0", "a / a = 1",
    "a + 1e308 + 1e308 > 0", "1e308 * 10 > a", "a * 1e308 * 10 > 0", "", " ", "\n", "\t\t", "not",
    "and", "or", "a >", "> a", "a", "s", "'x'", "1", "f f", "a > 1 f", "f not", "f and",
    "f or or f", "f and and f", "not not not f",
)  # fmt: skip

_COLUMN = '["column","a"]'
_JSON = (
    f'["share",["<",{_COLUMN},1]]', f'["share",["<",{_COLUMN},1e999]]',
    f'["share",["<",{_COLUMN},NaN]]', f'["share",["<",{_COLUMN},true]]',
    f'["share",["<",{_COLUMN},"1"]]', f'["share",["<",{_COLUMN}]]',
    f'["share",["<",{_COLUMN},{"9" * 5_000}]]', f'["share",["<",{_COLUMN},{"9" * 400}]]',
    f'["share",["<",{_COLUMN},-0.0]]', f'["share",["<",{_COLUMN},null]]',
    '["share",["<",null,null]]', '["share",["and"]]',
    '["share",["or",["is true",["column","f"]]]]', '["share",true]', '["share",null]',
    '["share",["is true",["column","a"]]]', '["share",["column","f"]]', '["share",{"x":1}]',
    '["share",[]]', '["share",["is null",["column","\\u001b[2J"]]]', '["share",["\\u001b[2J"]]',
    '["share",["<",["column",1],1]]', '["share",["in",["column","s"],["\\ud800"]]]',
    '["share",["in",["column","s"],["\\u0000","x"]]]', '["share",["in",["column","s"],[]]]',
    '["share",["in",["column","s"],[1]]]', f'["share",["in",{_COLUMN},["x"]]]',
    f'["share",["in",{_COLUMN},[1,-0.0,0,1]]]', '["share",["contains",["column","s"],""]]',
    '["share",["not contains",["column","s"],"x"]]', '["share",["not ",["column","s"],"x"]]',
    f'["share",["<",["/",{_COLUMN},0],1]]', f'["share",["<",["/",{_COLUMN},-0.0],1]]',
    f'["share",["<",["/",{_COLUMN},["+",1,-1]],1]]', f'["share",["<",["+",{_COLUMN}],1]]',
    f'["share",["<",["clip",{_COLUMN},1,0],1]]', f'["share",["<",["if",true,{_COLUMN},null],1]]',
    f'["share",["<",["+",1e308,1e308,{_COLUMN}],1]]', '["share",["<",["hour",["column","d"]],1]]',
    '["share",["<",["year",["column","d"]],1]]', '["share",["<",["second",["column","m"]],1]]',
    f'["mean",{_COLUMN},0,1,0]', f'["mean",{_COLUMN},1,0,0]', f'["mean",{_COLUMN},-1e308,1e308,0]',
    f'["mean",{_COLUMN},-0.0,1,-0.0]', f'["mean",{_COLUMN},0,1]', '["mean",1,0,1,0]',
    '["mean",null,0,1,0]', f'["quantile",{_COLUMN},"1/2",0,1,4]',
    f'["quantile",{_COLUMN},"{"9" * 400}",0,1,4]', f'["quantile",{_COLUMN},"{"9" * 300}",0,1,4]',
    f'["quantile",{_COLUMN},"1/{"9" * 400}",0,1,4]', f'["quantile",{_COLUMN},"1/0",0,1,4]',
    f'["quantile",{_COLUMN},"0/1",0,1,4]', f'["quantile",{_COLUMN},0.5,0,1,4]',
    f'["quantile",{_COLUMN},"1/2",0,1,{"9" * 4_000}]', f'["quantile",{_COLUMN},"1/2",0,1,true]',
    f'["quantile",{_COLUMN},"1/2",0,1,4.0]', f'["quantile",{_COLUMN},"1/2",0,1,-{"9" * 4_000}]',
    f'["histogram",["edges",{_COLUMN},[0,1]],null]', f'["histogram",["edges",{_COLUMN},[]],null]',
    f'["histogram",["edges",{_COLUMN},[1,1]],null]',
    f'["histogram",["edges",{_COLUMN},[-0.0,0]],null]',
    f'["histogram",["\\u001b[2J",{_COLUMN},[1]],null]',
    '["histogram",["values",["column","f"],[true]],null]',
    '["histogram",["values",["column","s"],["\\u001b","\\u001b"]],null]',
    f'["histogram",["values",{_COLUMN},[1]],null]',
    f'["histogram",["edges",{_COLUMN},[0]],["mean",{_COLUMN},0,1,0]]',
    '["histogram",["edges",["column","d"],[1e300]],null]',
    f'["by",["edges",{_COLUMN},[0]],["is true",["column","f"]]]',
    f'["by",["edges",{_COLUMN},[0]],null]',
    f'["given",["share",["<",{_COLUMN},1]],["is true",["column","f"]]]',
    f'["given",["mean",{_COLUMN},0,1,0],true]',
    f'["given",["quantile",{_COLUMN},"1/2",0,1,4],true]', '["given",1,2]', '["share","x"]',
    '["share",', '["share",1]]', '["share" ,\n["is true",["column","f"]]]',
    '["share",["is true",["column","f"]]] -- x', '["SHARE",true]', "[", '["column","a"]', "{}",
    "null", "[[[[", '[["share",true]]', '\ufeff["share",true]', '["share",["not",["not",1]]]',
)  # fmt: skip

_PAYLOADS = (*_SQL, *_PYTHON, *_OTHER)


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


TEXTS: tuple[str, ...] = (
    *_PAYLOADS,
    *(f"s = {_single(each)}" for each in _PAYLOADS),
    *(f"s in ({_double(each)}, 'x')" for each in _PAYLOADS[::3]),
    *(f"contains(s, {_single(each)})" for each in _PAYLOADS[::3]),
    *(f"s like {_single(each)}" for each in _PAYLOADS[::5]),
    *(f"`{each}` > 1" for each in _PAYLOADS[::3]),
    *(f"s = '{each}'" for each in _PAYLOADS[::3]),
    *(f"f and {each}" for each in _PAYLOADS[::4]),
    *(f"a > {each}" for each in _NUMBERS_WRITTEN),
    *(f"a in ({each}, 2)" for each in _NUMBERS_WRITTEN),
    *(f"mean(a, {each}, 100)" for each in _NUMBERS_WRITTEN),
    *(f"histogram(a, ({each}))" for each in _NUMBERS_WRITTEN),
    *(f"d > '{each}'" for each in _DATES_WRITTEN),
    *(f"m <= '{each}'" for each in _DATES_WRITTEN),
    *(f"m - '{each}' > 0" for each in _DATES_WRITTEN),
    *(f"timestamp '{each}' < m" for each in _DATES_WRITTEN),
    *(f"f by d ('{each}')" for each in _DATES_WRITTEN),
    *_FORMS,
    *_JSON,
)

# Inputs of any size ------------------------------------------------------------------------------


def _listed(count: int) -> str:
    return ", ".join(f"'{i}'" for i in range(count))


GROWING: dict[str, Callable[[int], str]] = {
    "one name": lambda n: "a" * n,
    "one name in backticks": lambda n: f"`{'a' * n}` > 1",
    "one text": lambda n: f"s = '{'x' * n}'",
    "one text of wide characters": lambda n: f"s = '{'𝔸' * n}'",
    "one text where none fits": lambda n: f"a > 1 '{'x' * n}'",
    "doubled quotation marks": lambda n: f"s = '{chr(39) * (n - n % 2)}'",
    "an open quotation": lambda n: f"s = '{'x' * n}",
    "open quotations": lambda n: "'\"`" * (n // 3) + "'",
    "quotation marks": lambda n: "'" * (n - n % 2 + 1),
    "spaces": lambda n: " " * n,
    "spaces before nothing that fits": lambda n: "a" + " " * n + "$",
    "wide spaces": lambda n: "\u3000" * n + "f",
    "NULs": lambda n: "\0" * n,
    "digits": lambda n: "a > " + "9" * n,
    "decimals": lambda n: "a > 0." + "9" * n,
    "grouped digits": lambda n: "a > 1" + "_1" * (n // 2),
    "an exponent": lambda n: "a > 1e" + "9" * n,
    "a negative exponent": lambda n: "a > 1e-" + "9" * n,
    "points": lambda n: "." * n,
    "nots": lambda n: "not " * (n // 4) + "f",
    "minuses": lambda n: "-" * n + "a > 1",
    "parentheses": lambda n: "(" * n + "f",
    "closed parentheses": lambda n: "(" * (n // 2) + "f" + ")" * (n // 2),
    "brackets": lambda n: "[" * n,
    "a sum": lambda n: "a + " * (n // 4) + "a > 1",
    "a difference of texts": lambda n: "d - " * (n // 4) + "d > 1",
    "a product": lambda n: "a * " * (n // 4) + "a > 1",
    "quotients": lambda n: "a / " * (n // 4) + "a > 1",
    "quotients of constants": lambda n: "1 / " * (n // 4) + "1 > a",
    "a shifted date": lambda n: "d" + " + 1" * (n // 4) + " > '2013-01-01'",
    "a chain": lambda n: "a < " * (n // 4) + "a",
    "a conjunction": lambda n: "f and " * (n // 6) + "f",
    "different terms": lambda n: " or ".join(f"a = {i} and b = {i}" for i in range(n // 24)),
    "terms that overlap": lambda n: " and ".join(f"(a > {i} or b < {i})" for i in range(n // 24)),
    "a list": lambda n: f"a in ({', '.join(map(str, range(n // 7)))})",
    "a list of texts": lambda n: f"s in ({_listed(n // 9)})",
    "a list of one": lambda n: "a in (" + "1," * (n // 2) + "1)",
    "a ladder": lambda n: "case " + "when f then 1 " * (n // 14) + "end > 0",
    "choices": lambda n: "if(f, 1, " * (n // 9) + "0",
    "absolute values": lambda n: "abs(" * (n // 4) + "a",
    "clips": lambda n: "clip(" * (n // 5) + "a",
    "cells": lambda n: f"histogram(a, ({', '.join(map(str, range(n // 7)))}))",
    "cells of text": lambda n: f"f by s ({_listed(n // 9)})",
    "one cell twice": lambda n: f"histogram(s, ('{'x' * (n // 2)}', '{'x' * (n // 2)}'))",
    "commas": lambda n: "," * n,
    "signs": lambda n: "<>=!&|~" * (n // 7),
    "a pattern": lambda n: f"s like '{'%' * n}'",
    "an escaped pattern": lambda n: "s like '" + "\\%" * (n // 2) + "'",
    "a date": lambda n: f"d > '2013-01-01T00:00:00.{'0' * n}'",
    "JSON lists": lambda n: '["share",' + "[" * n,
    "JSON shares": lambda n: '["share",' * (n // 9),
    "JSON conjunctions": lambda n: '["share",' + '["and",' * (n // 8) + "true" + "]" * (n // 8 + 1),
    "JSON numbers": lambda n: f'["share",["in",{_COLUMN},[{"1," * (n // 2)}1]]]',
    "JSON texts": lambda n: f'["share",["in",["column","s"],["{"x" * n}"]]]',
    "JSON digits": lambda n: f'["share",["<",{_COLUMN},{"9" * n}]]',
    "JSON spaces": lambda n: '["share"' + " " * n + ",",
    "JSON of an unknown column": lambda n: f'["share",["is null",["column","{"x" * n}"]]]',
    "JSON escapes": lambda n: '["share",["in",["column","s"],["' + "\\u001b" * (n // 6) + '"]]]',
}  # fmt: skip

_LOOP: list[object] = ["share"]
_LOOP.append(_LOOP)

LISTS: dict[str, list[object]] = {
    "a list of itself": _LOOP,
    "a level above the doubles": ["quantile", ["column", "a"], "9" * 400, 0, 1, 4],
    "more steps than doubles": ["quantile", ["column", "a"], "1/2", 0, 1, 10**5_000],
    "fewer steps than doubles": ["quantile", ["column", "a"], "1/2", 0, 1, -(10**5_000)],
    "a number above the doubles": ["mean", ["column", "a"], 0, 10**5_000, 0],
    "many values": ["share"] * 1_000_000,
    "not values": ["share", ["<", ["column", "a"], object()]],
    "bytes": ["share", ["in", ["column", "s"], [b"x"]]],
    "half a pair": ["share", ["in", ["column", "s"], ["\ud800"]]],
    "tuples": ["share", ("is true", ("column", "f"))],
    "not numbers": ["share", ["<", ["column", "a"], nan]],
    "complex numbers": ["share", ["<", ["column", "a"], 1j]],
}


# Comparing engines -------------------------------------------------------------------------------


def readable(schema: Schema) -> list[Question]:
    """Every text of the corpus that is a question, once; quotients as nothing that engines see."""
    found: dict[str, Question] = {}
    for text in TEXTS:
        try:
            question = parse_question(text, schema)
        except (QuestionError, InvalidInput):
            continue
        if not isinstance(question.form, Given):
            found[question.digest] = question
    return list(found.values())


def revealed(totals: Sequence[Exact[int] | Exact[tuple[int, ...]]]) -> Totals:
    """What an engine found; tests may look."""
    return [each.reveal() for each in totals]


def differing(evaluate: Callable[[Sequence[Question]], Totals]) -> list[str]:
    """The questions for which an engine that holds `rows()` adds up to something else."""
    held = table()
    questions = readable(held.schema)
    expected = revealed(held.totals(questions))
    return [
        question.text
        for question, found, wanted in zip(questions, evaluate(questions), expected, strict=True)
        if found != wanted
    ]
