// The kinds of settings. Each can read its value from text (a flag or an environment variable) and from JSON (the file).

export type Unit =
  | 'readers'
  | 'milliseconds'
  | 'bytes'
  | 'rows'
  | 'deletions'
  | 'buckets'
  | 'queries'
  | 'keys'
  | 'tokens'
  | 'ingests'
  | 'connections'
  | 'statements'
  | 'objects'
  | 'values'
  | 'subscriptions'

/** The form of a given value: text from flags and the environment, any JSON value from the file. */
type Source = 'text' | 'json'

type Reading<T> = { readonly value: T } | { readonly refused: true }

export interface Setting<T = unknown> {
  readonly type: string
  readonly default: T
  /** The default with the setting `small`, if different. */
  readonly small?: T | undefined
  /** The default as shown, which may depend on the machine. */
  readonly defaultText: string
  readonly unit: Unit | null
  /** The allowed values, in words that follow "must be". */
  readonly allowed: string
  readonly description: string
  /** Never shown, and not accepted as a flag, since other users of the machine can see flags. */
  readonly secret: boolean
  readonly read: (given: unknown, source: Source) => Reading<T>
}

const refused = { refused: true } as const

export function usualOf({ default: usual, small }: Setting, isSmall: boolean): unknown {
  return isSmall ? (small ?? usual) : usual
}

export function text(options: {
  readonly default: string
  readonly defaultText?: string
  readonly description: string
  readonly pattern?: RegExp
  readonly allowed?: string
}): Setting<string> {
  const pattern = options.pattern ?? /./s
  return {
    type: 'text',
    default: options.default,
    defaultText: options.defaultText ?? (options.default === '' ? 'none' : options.default),
    unit: null,
    allowed: options.allowed ?? 'text that is not empty',
    description: options.description,
    secret: false,
    read: (given) => (typeof given === 'string' && pattern.test(given) ? { value: given } : refused),
  }
}

/** A text that must not be shown. It is sent in a header, so it must be printable ASCII without spaces. */
export function secret(options: {
  readonly description: string
  readonly defaultText: string
  readonly charactersMin?: number
  /** How to generate a good one. */
  readonly advice?: string
}): Setting<string | null> {
  const { charactersMin = 1, advice } = options
  const characters = 'printable ASCII characters without spaces'
  return {
    type: 'text',
    default: null,
    defaultText: options.defaultText,
    unit: null,
    allowed: `${charactersMin > 1 ? `at least ${charactersMin} ` : ''}${characters}${advice === undefined ? '' : `, ${advice}`}`,
    description: options.description,
    secret: true,
    read: (given) =>
      typeof given === 'string' && given.length >= charactersMin && /^[\x21-\x7e]+$/.test(given)
        ? { value: given }
        : refused,
  }
}

export function integer<const D extends number | null = number>(options: {
  readonly default: D
  readonly small?: number
  readonly defaultText?: string
  readonly unit: Unit | null
  readonly min: number
  readonly max: number
  readonly description: string
}): Setting<number | D> {
  const { min, max, small } = options
  const defaultText = small === undefined ? String(options.default) : `\`${options.default}\`, small \`${small}\``
  return {
    type: 'whole number',
    default: options.default,
    small,
    defaultText: options.defaultText ?? defaultText,
    unit: options.unit,
    allowed: `a whole number${options.unit === null ? '' : ` of ${options.unit}`} from ${min} to ${max}`,
    description: options.description,
    secret: false,
    read: (given, source) => {
      const value = source === 'text' && typeof given === 'string' && /^-?\d{1,16}$/.test(given) ? Number(given) : given
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return refused
      return value >= min && value <= max ? { value } : refused
    },
  }
}

export function flag(options: {
  readonly default: boolean
  readonly defaultText?: string
  readonly description: string
}): Setting<boolean> {
  return {
    type: 'true or false',
    default: options.default,
    defaultText: options.defaultText ?? String(options.default),
    unit: null,
    allowed: 'true or false',
    description: options.description,
    secret: false,
    read: (given, source) => {
      if (source === 'text') {
        return given === 'true' || given === 'false' ? { value: given === 'true' } : refused
      }
      return typeof given === 'boolean' ? { value: given } : refused
    },
  }
}

export function choice<const C extends string, const D extends C | null>(options: {
  readonly choices: readonly C[]
  readonly default: D
  readonly defaultText?: string
  readonly description: string
}): Setting<C | D> {
  return {
    type: 'choice',
    default: options.default,
    defaultText: options.defaultText ?? String(options.default),
    unit: null,
    allowed: options.choices.join(' or '),
    description: options.description,
    secret: false,
    read: (given) => {
      const value = options.choices.find((candidate) => candidate === given)
      return value === undefined ? refused : { value }
    },
  }
}

/** A list of texts: an array in the file, a comma-separated text elsewhere. */
export function list(options: {
  readonly description: string
  readonly pattern: RegExp
  readonly allowed: string
  /** The allowed number of items, if the list is not empty. */
  readonly items?: { readonly min: number; readonly max: number }
}): Setting<readonly string[]> {
  const { min = 0, max = Number.POSITIVE_INFINITY } = options.items ?? {}
  return {
    type: 'list',
    default: [],
    defaultText: 'none',
    unit: null,
    allowed: options.allowed,
    description: options.description,
    secret: false,
    read: (given, source) => {
      const items: unknown = source === 'text' && typeof given === 'string' ? given.split(',').map(trimmed) : given
      if (!isListOf(items, options.pattern)) return refused
      return items.length === 0 || (items.length >= min && items.length <= max) ? { value: items } : refused
    },
  }
}

function trimmed(part: string): string {
  return part.trim()
}

function isListOf(items: unknown, pattern: RegExp): items is string[] {
  return Array.isArray(items) && items.every((item) => typeof item === 'string' && pattern.test(item))
}
