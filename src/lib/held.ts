/** Something that is held until it is let go. */
export interface Held {
  release(): void
}

/** Holds one after the other; they are let go together. When one cannot be held, those before it are let go, and its error is thrown. */
export async function holdAll(holds: readonly (() => Promise<Held>)[]): Promise<Held> {
  const held: Held[] = []
  const release = (): void => {
    for (const one of held.splice(0)) one.release()
  }
  try {
    for (const hold of holds) held.push(await hold())
  } catch (error) {
    release()
    throw error
  }
  return { release }
}
