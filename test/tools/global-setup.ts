import { python } from './python.ts'

/** The environment of Python that several files share is made once, before any of them runs. */
export default async function setup(): Promise<void> {
  await python()
}
