import type { ComponentType } from 'preact'
import type { KeyRight } from '../../../src/client/answers.ts'
import { Access } from './access/access.tsx'
import { Explore } from './explore/explore.tsx'
import { Ingests } from './ingests/ingests.tsx'
import { Metadata } from './metadata/metadata.tsx'
import { Operate } from './operate/operate.tsx'
import { Overview } from './overview/overview.tsx'
import { Push } from './push/push.tsx'
import { Query } from './sql/query.tsx'
import { Views } from './views/views.tsx'

export interface Page {
  /** The first part of the page's path. */
  readonly at: string
  readonly name: string
  /** Users with none of these rights get no link to it. */
  readonly rights: readonly KeyRight[]
  readonly component: ComponentType
}

export const pages: readonly Page[] = [
  { at: '', name: 'Overview', rights: ['admin', 'observe', 'consume', 'ingest'], component: Overview },
  { at: 'ingests', name: 'Ingests', rights: ['admin', 'ingest'], component: Ingests },
  { at: 'push', name: 'Push', rights: ['admin', 'ingest'], component: Push },
  { at: 'explore', name: 'Explore', rights: ['admin', 'consume'], component: Explore },
  { at: 'views', name: 'Views', rights: ['admin', 'consume'], component: Views },
  { at: 'query', name: 'SQL', rights: ['admin', 'consume'], component: Query },
  { at: 'metadata', name: 'Metadata', rights: ['admin', 'consume'], component: Metadata },
  { at: 'access', name: 'Access', rights: ['admin'], component: Access },
  { at: 'operate', name: 'Operate', rights: ['admin', 'observe'], component: Operate },
]
