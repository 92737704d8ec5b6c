// Strings take memory while they are made, which the engine's own limit does not count: 2,048 rows of a million characters are two gigabytes. A
// statement requests memory before it makes strings: `text_room(bytes, most)` returns true, or the query fails. `text_out` does the same for
// strings that leave the engine.
import { BIGINT, BOOLEAN, type DuckDBConnection, DuckDBScalarFunction, type DuckDBVector } from '@duckdb/node-api'
import { ownMessagePrefix } from '../sql-engine.ts'

/** The current memory of one expression on one of the engine's threads: the strings of its last part of rows. */
interface Held {
  readonly connectionId: number
  bytes: number
}

const memoryExceeded = 'no room for the texts that are made'

export class StringMemory {
  readonly #maxBytes: number
  readonly #heldBy = new Map<number, number>()
  #bytes = 0

  /** All running queries share `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  register(connection: DuckDBConnection): void {
    for (const name of ['text_room', 'text_out']) connection.registerScalarFunction(this.#function(name))
  }

  #function(name: string): DuckDBScalarFunction {
    return DuckDBScalarFunction.create({
      name,
      returnType: BOOLEAN,
      parameterTypes: [BIGINT, BIGINT],
      // A constant that leaves the engine is copied for each row, so it counts once for each.
      volatile: name === 'text_out',
      // Called for each place in a statement, and for each thread.
      initFunction: (info) => info.setState({ connectionId: info.clientContext.connectionId, bytes: 0 } satisfies Held),
      mainFunction: (info, input, output) => {
        const [sizes, limits] = [input.getColumnVector(0), input.getColumnVector(1)]
        const error = this.#ask(info.state as Held, input.rowCount, sizes, limits, output)
        if (error !== null) info.setError(error)
      },
    })
  }

  /** Frees the memory of a query that has ended. */
  release(connectionId: number): void {
    this.#bytes -= this.#heldBy.get(connectionId) ?? 0
    this.#heldBy.delete(connectionId)
  }

  #ask(held: Held, rows: number, sizes: DuckDBVector, limits: DuckDBVector, output: DuckDBVector): string | null {
    let bytes = 0
    for (let row = 0; row < rows; row++) {
      const size = Number(sizes.getItem(row))
      const most = Number(limits.getItem(row))
      if (size > most) return `${ownMessagePrefix}a string could become longer than ${most} characters`
      bytes += size
      output.setItem(row, true)
    }
    output.flush()
    // The planner evaluates constants many times, one value at a time.
    if (rows === 1) return null
    this.#bytes += bytes - held.bytes
    this.#heldBy.set(held.connectionId, (this.#heldBy.get(held.connectionId) ?? 0) + bytes - held.bytes)
    held.bytes = bytes
    return this.#bytes > this.#maxBytes ? memoryExceeded : null
  }
}

/** Whether an error message of the engine means that there was no memory for strings. */
export const isStringMemoryError = (message: string): boolean => message.includes(memoryExceeded)
