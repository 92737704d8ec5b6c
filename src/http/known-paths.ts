import { Problem } from '../model/problem.ts'
import { pathOf } from './request-head.ts'

/** The known paths and their methods, to distinguish a wrong method from a wrong path. */
export class KnownPaths {
  readonly #methods = new Map<string, Set<string>>()
  readonly #expressions = new Map<string, RegExp>()

  add(pattern: string, method: string): void {
    const methods = this.#methods.get(pattern) ?? new Set()
    methods.add(method)
    this.#methods.set(pattern, methods)
    this.#expressions.set(pattern, expressionOf(pattern))
  }

  /** The error for a request that no route accepts. */
  problem(method: string, target: string): Problem {
    const path = pathOf(target)
    const allowed = new Set<string>()
    for (const [pattern, expression] of this.#expressions) {
      if (expression.test(path)) for (const taken of this.#methods.get(pattern)!) allowed.add(taken)
    }
    if (allowed.size === 0) {
      return new Problem('path_not_found', `There is nothing at this path. /openapi.json lists all paths.`)
    }
    const allow = [...allowed].sort().join(', ')
    return new Problem('method_not_allowed', `This path does not support ${method}. It supports ${allow}.`, {
      headers: { Allow: allow },
    })
  }
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
