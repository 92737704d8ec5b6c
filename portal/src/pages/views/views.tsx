import { usePlace } from '../../shell/route.ts'
import { ViewList } from './view-list.tsx'
import { ViewPage } from './view-page.tsx'

/** All saved views, or the one that the address names. */
export function Views() {
  const { path } = usePlace()
  const name = path[1]
  return name === undefined ? <ViewList /> : <ViewPage key={name} name={name} />
}
