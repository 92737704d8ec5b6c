import { Problem, type ProblemError } from '../model/problem.ts'

/** Faults told at once: more of them would teach nobody. */
const faultsMax = 20

/** Collects what is wrong with a request, so that the caller is told all of it in one answer. */
export class Faults {
  readonly #errors: ProblemError[] = []

  /** Whether more would not be told. */
  get areFull(): boolean {
    return this.#errors.length === faultsMax
  }

  /** `path` is the property at fault, as `ids[0]`; `message` says what to do. */
  add(path: string, message: string): void {
    if (!this.areFull) this.#errors.push({ path, message })
  }

  /** Throws Problem `invalid_request` if anything was found. */
  throwIfAny(): void {
    const [first, ...others] = this.#errors
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` (and ${others.length} more, see errors)`
    throw new Problem('invalid_request', `${first.path === '' ? '' : `${first.path}: `}${first.message}${more}`, {
      errors: this.#errors,
    })
  }
}

/** Names for a message: quoted, and not too many of them. */
export function listNames(names: readonly string[], max = 20): string {
  const shown = names
    .slice(0, max)
    .map((name) => JSON.stringify(name))
    .join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}
