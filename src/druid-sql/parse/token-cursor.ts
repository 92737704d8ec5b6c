import { otherClauses } from './other-dialects.ts'
import { type Place, quoted, sqlProblem } from './sql-problem.ts'
import type { SqlValue } from './sql-value.ts'
import { type Token, tokenize } from './tokenizer.ts'

const patterns = otherClauses.map(([wrong, advice]) => ({
  tokens: tokenize(wrong).slice(0, -1),
  wrong: wrong.replace(/ _$/, '').replace(/ \($/, ''),
  advice,
}))

function isLike(token: Token | undefined, pattern: Token): boolean {
  if (token === undefined) return false
  if (pattern.text === '_') return true
  const isAny = pattern.kind === 'string' || pattern.kind === 'number'
  return token.kind === pattern.kind && (isAny || token.upper === pattern.upper)
}

/** The error for a clause of another dialect that the token at `at` belongs to; null where it belongs to none. */
function otherClauseAt(tokens: readonly Token[], at: number): Error | null {
  for (const { tokens: pattern, wrong, advice } of patterns) {
    for (let start = Math.max(0, at - pattern.length + 1); start <= at; start++) {
      if (pattern.every((one, offset) => isLike(tokens[start + offset], one)))
        return sqlProblem(tokens[start]!.place, `${wrong} is not supported: ${advice}`)
    }
  }
  return null
}

/** The deepest nesting of expressions and queries. The engine's parser has a limit of its own; this one has a clear error message. */
const depthMax = 100

/** Steps through the tokens of one statement. */
export class TokenCursor {
  readonly #tokens: readonly Token[]
  readonly #parameters: readonly SqlValue[]
  #at = 0
  #depth = 0
  #parametersTaken = 0

  constructor(tokens: readonly Token[], parameters: readonly SqlValue[] = []) {
    this.#tokens = tokens
    this.#parameters = parameters
  }

  /** The value of the next `?`. */
  parameter(): SqlValue {
    const { place } = this.next()
    const value = this.#parameters[this.#parametersTaken]
    this.#parametersTaken += 1
    if (value !== undefined) return value
    const given = this.#parameters.length
    throw sqlProblem(place, `parameter ${this.#parametersTaken} has no value: \`parameters\` has ${given}`)
  }

  get token(): Token {
    return this.#tokens[this.#at]!
  }

  get place(): Place {
    return this.token.place
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end'
  }

  /** The token `offset` positions ahead; beyond the end, the last token. */
  peek(offset: number): Token {
    return this.#tokens[Math.min(this.#at + offset, this.#tokens.length - 1)]!
  }

  next(): Token {
    const token = this.token
    if (token.kind !== 'end') this.#at += 1
    return token
  }

  isWord(...words: readonly string[]): boolean {
    return this.token.kind === 'word' && words.includes(this.token.upper)
  }

  isSymbol(...symbols: readonly string[]): boolean {
    return this.token.kind === 'symbol' && symbols.includes(this.token.text)
  }

  /** Whether these words come next, one after the other. */
  areWords(...words: readonly string[]): boolean {
    return words.every((word, offset) => this.peek(offset).kind === 'word' && this.peek(offset).upper === word)
  }

  /** Consumes these words if they come next. */
  takeWords(...words: readonly string[]): boolean {
    if (!this.areWords(...words)) return false
    this.#at += words.length
    return true
  }

  takeSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false
    this.#at += 1
    return true
  }

  expectWord(word: string): void {
    if (!this.takeWords(word)) throw this.unexpected(word)
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.unexpected(quoted(symbol))
  }

  /** Reads the contents of parentheses. */
  parenthesized<T>(read: () => T): T {
    this.expectSymbol('(')
    const found = read()
    this.expectSymbol(')')
    return found
  }

  /** A name: in double quotes, or a word that is not reserved. */
  isName(): boolean {
    const { kind, upper } = this.token
    return kind === 'name' || (kind === 'word' && !reservedWords.has(upper))
  }

  name(what: string): string {
    if (this.isName()) return this.next().text
    const { kind, text, place } = this.token
    const other = otherClauseAt(this.#tokens, this.#at)
    if (other !== null) throw other
    if (kind === 'word')
      throw sqlProblem(place, `${quoted(text)} is an SQL keyword: as ${what}, write it in double quotes, "${text}"`)
    throw this.unexpected(what)
  }

  /** The error for a token where `wanted` is expected. */
  unexpected(wanted: string): Error {
    const other = otherClauseAt(this.#tokens, this.#at)
    if (other !== null) return other
    const { kind, text, place } = this.token
    const found = kind === 'end' ? 'the query ends here' : `${quoted(text)} is not allowed here`
    return sqlProblem(place, `${found}: ${wanted} is expected`)
  }

  /** Runs one level deeper. Throws a Problem at the deepest level. */
  nested<T>(run: () => T): T {
    if (this.#depth === depthMax)
      throw sqlProblem(this.place, `the query is nested more than ${depthMax} levels deep here: split it`)
    this.#depth += 1
    try {
      return run()
    } finally {
      this.#depth -= 1
    }
  }
}

/** One or more, with commas between them. */
export function listOf<T>(cursor: TokenCursor, one: () => T): T[] {
  const items = [one()]
  while (cursor.takeSymbol(',')) items.push(one())
  return items
}

/** Words of Druid's SQL that are names only in double quotes (Calcite's reserved words, without the units of time). */
const words = `ABS ALL ALLOCATE ALLOW ALTER AND ANY ARE ARRAY AS ASENSITIVE ASOF ASYMMETRIC AT ATOMIC AUTHORIZATION AVG BEGIN BETWEEN BIGINT
BINARY BIT BLOB BOOLEAN BOTH BY CALL CALLED CARDINALITY CASCADED CASE CAST CEIL CEILING CHAR CHARACTER CHARACTER_LENGTH CHAR_LENGTH CHECK
CLASSIFIER CLOB CLOSE COALESCE COLLATE COLLECT COLUMN COMMIT CONDITION CONNECT CONSTRAINT CONTAINS CONVERT CORR CORRESPONDING COUNT COVAR_POP
COVAR_SAMP CREATE CROSS CUBE CUME_DIST CURRENT CURRENT_CATALOG CURRENT_DATE CURRENT_PATH CURRENT_ROLE CURRENT_ROW CURRENT_SCHEMA CURRENT_TIME
CURRENT_TIMESTAMP CURRENT_USER CURSOR CYCLE DATE DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFINE DELETE DENSE_RANK DEREF DESCRIBE DETERMINISTIC
DISALLOW DISCONNECT DISTINCT DOUBLE DROP DYNAMIC EACH ELEMENT ELSE EMPTY END EQUALS ESCAPE EVERY EXCEPT EXEC EXECUTE EXISTS EXP EXPLAIN EXTEND
EXTERNAL EXTRACT FALSE FETCH FILTER FIRST_VALUE FLOAT FLOOR FOR FOREIGN FREE FROM FULL FUNCTION FUSION GET GLOBAL GRANT GROUP GROUPING GROUPS
HAVING HOLD IDENTITY IMPORT IN INDICATOR INITIAL INNER INOUT INSENSITIVE INSERT INT INTEGER INTERSECT INTERSECTION INTERVAL INTO IS JOIN LAG
LANGUAGE LARGE LAST_VALUE LATERAL LEAD LEADING LEFT LIKE LIKE_REGEX LIMIT LN LOCAL LOCALTIME LOCALTIMESTAMP LOWER MATCH MATCHES MATCH_NUMBER
MATCH_RECOGNIZE MAX MEASURES MEMBER MERGE METHOD MIN MINUS MOD MODIFIES MODULE MULTISET NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NORMALIZE
NOT NTH_VALUE NTILE NULL NULLIF NUMERIC OF OFFSET OLD OMIT ON ONE ONLY OPEN OR ORDER ORDINAL OUT OUTER OVER OVERLAPS OVERLAY PARAMETER PARTITION
PATTERN PER PERCENT PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK PERIOD PERMUTE PORTION POSITION POWER PRECEDES PRECISION PREPARE PREV PRIMARY
PROCEDURE QUALIFY RANGE RANK READS REAL RECURSIVE REF REFERENCES REFERENCING RELEASE RESET RESULT RETURN RETURNS REVOKE RIGHT ROLLBACK ROLLUP ROW
ROWS ROW_NUMBER RUNNING SAVEPOINT SCOPE SCROLL SEARCH SEEK SELECT SENSITIVE SESSION_USER SET SHOW SIMILAR SKIP SMALLINT SOME SPECIFIC SQL
SQLEXCEPTION SQLSTATE SQLWARNING SQRT START STATIC STDDEV_POP STDDEV_SAMP STREAM SUBMULTISET SUBSET SUBSTRING SUCCEEDS SUM SYMMETRIC SYSTEM
SYSTEM_TIME SYSTEM_USER TABLE TABLESAMPLE THEN TIME TIMESTAMP TIMEZONE_HOUR TIMEZONE_MINUTE TINYINT TO TRAILING TRANSLATE TRANSLATION TREAT
TRIGGER TRIM TRUE TRUNCATE UESCAPE UNION UNIQUE UNKNOWN UNNEST UPDATE UPPER UPSERT USER USING VALUE VALUES VALUE_OF VARBINARY VARCHAR VARYING
VAR_POP VAR_SAMP VERSIONING WHEN WHENEVER WHERE WIDTH_BUCKET WINDOW WITH WITHIN WITHOUT`

const reservedWords: ReadonlySet<string> = new Set(words.split(/\s+/))
