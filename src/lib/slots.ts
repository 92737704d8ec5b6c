/**
 * Members that come and go all the time, each in a slot of its own, whose number is given again to a later one.
 *
 * A Map would do, but for the garbage collector. V8 makes a Map a new table every few members, and the table before points to it, with the members that it
 * had then (`next table` in V8's src/objects/ordered-hash-table.h). Once one table is old garbage it keeps the next one alive, and so on, until all of the heap is
 * marked: so most members of a busy Map, with all that they point to, outlive the young heap and are copied again and again.
 */
export class Slots<Member> {
  readonly #members: (Member | null)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#members.length - this.#free.length
  }

  /** `make` is told the number of the slot, and must not throw. */
  add<Made extends Member>(make: (slot: number) => Made): Made {
    const slot = this.#free.pop() ?? this.#members.length
    const member = make(slot)
    this.#members[slot] = member
    return member
  }

  get(slot: number): Member | null {
    return this.#members[slot] ?? null
  }

  /** Frees a slot that is taken. */
  free(slot: number): void {
    this.#members[slot] = null
    this.#free.push(slot)
  }

  /** Those that are there now, by the numbers of their slots. */
  values(): Member[] {
    return this.#members.filter((member) => member !== null)
  }
}
