import { python } from './python.ts'

/** Several files share the Python environment: it is created once, before any of them runs. */
export default async function setup(): Promise<void> {
  await python()
}
