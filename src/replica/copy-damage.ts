/** An object of a copy is missing, or not what was written; its name is in the message. Reading it again does not mend that. */
export class CopyDamaged extends Error {}

/** Another program wrote it: nothing is the matter with the copy. */
export class CopyNewer extends Error {}

export function damagedObject(name: string, cause?: unknown): CopyDamaged {
  return new CopyDamaged(`the object ${name} of the replica is damaged: its checksum is wrong`, { cause })
}

export function missingObject(name: string): CopyDamaged {
  return new CopyDamaged(`the object ${name} of the replica is missing`)
}
