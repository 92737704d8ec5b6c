import type { Observe } from './event.ts'

/** One sink that hands each event to all of these, in order. */
export function combineSinks(...sinks: readonly Observe[]): Observe {
  return (event) => {
    for (const sink of sinks) sink(event)
  }
}
