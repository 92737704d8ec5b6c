import type { ComponentType } from 'preact'
import type { KeyRight } from '../../../src/client/answers.ts'
import { Overview } from './overview/overview.tsx'

export interface Page {
  /** The first part of its path. */
  readonly at: string
  readonly name: string
  /** Who has none of these rights is shown no link to it. */
  readonly rights: readonly KeyRight[]
  readonly component: ComponentType
}

export const pages: readonly Page[] = [
  { at: '', name: 'Overview', rights: ['admin', 'consume', 'ingest'], component: Overview },
]
