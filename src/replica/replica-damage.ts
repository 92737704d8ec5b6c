/** An object of a copy is missing, or not what was written; its name is in the message. Reading it again does not mend that. */
export class ReplicaDamaged extends Error {}

/** Another program wrote it: nothing is the matter with the copy. */
export class ReplicaNewer extends Error {}

export function damagedObject(name: string, cause?: unknown): ReplicaDamaged {
  return new ReplicaDamaged(`the object ${name} of the replica is damaged: its checksum is wrong`, { cause })
}

export function missingObject(name: string): ReplicaDamaged {
  return new ReplicaDamaged(`the object ${name} of the replica is missing`)
}
