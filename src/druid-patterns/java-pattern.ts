// Translates Java's regular expressions for RE2: the syntax that differs, and the contents of the groups.

export interface JavaPattern {
  /** The pattern in RE2's syntax. */
  readonly re2: string
  /** The pattern inside each group, from the first on. */
  readonly groups: readonly string[]
  /** Group numbers by name, for groups that have names. */
  readonly names: ReadonlyMap<string, number>
}

interface OpenGroup {
  /** Null for a non-capturing group. */
  readonly number: number | null
  readonly start: number
}

/** Quoted literal text, or an escaped character. */
const escaped = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]/y
const classStart = /\[\^?\]?/y
const groupStart = /\(\?<([A-Za-z][A-Za-z0-9]*)>|\((?!\?)|\(/y

/** Parses a pattern; null where it has nested classes or class intersections, which RE2 reads differently. */
export function readJavaPattern(pattern: string): JavaPattern | null {
  const [groups, names, open]: [string[], Map<string, number>, OpenGroup[]] = [[], new Map(), []]
  let [re2, isInClass] = ['', false]
  for (let at = 0; at < pattern.length; ) {
    const part = matchAt(escaped, pattern, at)?.[0] ?? partAt(pattern, at, isInClass)
    if (part === null) return null
    re2 += part.startsWith('(?<') ? part.replace(/^\(\?<(?=[A-Za-z])/, '(?P<') : part
    at += part.length
    if (part.startsWith('\\')) continue
    if (part.startsWith('[')) isInClass = true
    else if (isInClass) isInClass = part !== ']'
    else if (part.startsWith('(')) {
      const name = /^\(\?<([A-Za-z]\w*)>$/.exec(part)?.[1]
      const number = name !== undefined || pattern[at] !== '?' ? groups.push('') : null
      if (name !== undefined && number !== null) names.set(name, number)
      open.push({ number, start: at })
    } else if (part === ')') {
      const group = open.pop()
      if (group?.number != null) groups[group.number - 1] = pattern.slice(group.start, at - 1)
    }
  }
  return { re2, groups, names }
}

function partAt(pattern: string, at: number, isInClass: boolean): string | null {
  if (isInClass) return pattern[at] === '[' || pattern.startsWith('&&', at) ? null : pattern[at]!
  return matchAt(classStart, pattern, at)?.[0] ?? matchAt(groupStart, pattern, at)?.[0] ?? pattern[at]!
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at
  return form.exec(text)
}

/** Whether a group can match empty text. If not, an empty group in RE2's match means that the group did not take part in it. */
export function mayBeEmpty(group: string): boolean {
  try {
    return new RegExp(`^(?:${group})$`, 's').test('')
  } catch {
    return true
  }
}

/** Java's replacement (`$1`, `\$`) as RE2's (`\1`); null where Java would refuse it. */
export function re2Replacement(replacement: string, { groups, names }: JavaPattern): string | null {
  let written = ''
  const form = /\\([\s\S])|\$\{(\w+)\}|\$(\d)|([^\\$])/gy
  let end = 0
  for (const match of replacement.matchAll(form)) {
    const [whole, literal, name, digit, plain] = match
    end = match.index + whole.length
    const group = name === undefined ? Number(digit) : names.get(name)
    if (plain !== undefined) written += plain
    else if (literal !== undefined) written += literal === '\\' ? '\\\\' : literal
    else if (group === undefined || group > groups.length || group > 9) return null
    else written += `\\${group}`
  }
  return end === replacement.length ? written : null
}
