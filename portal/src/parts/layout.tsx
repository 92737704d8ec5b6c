import type { ComponentChildren } from 'preact'
import { linkTo } from '../shell/link.ts'

interface HeadProps {
  readonly title: ComponentChildren
  /** The page that lists what this one shows. */
  readonly above?: { readonly name: string; readonly at: readonly string[] }
  readonly children?: ComponentChildren
}

export function PageHead({ title, above, children }: HeadProps) {
  return (
    <header class="page-head">
      <h1>
        {above !== undefined && (
          <span class="crumb">
            <a href={linkTo(above.at)}>{above.name}</a> /{' '}
          </span>
        )}
        {title}
      </h1>
      {children}
    </header>
  )
}

interface PanelProps {
  readonly title: ComponentChildren
  /** What stands at the right of its head. */
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

export function Panel({ title, tools, children }: PanelProps) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {tools !== undefined && <div class="actions push-right">{tools}</div>}
      </header>
      {children}
    </section>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly aside?: ComponentChildren
  readonly bad?: boolean
}

export function Figure({ name, value, aside, bad = false }: FigureProps) {
  return (
    <div class={bad ? 'figure bad' : 'figure'}>
      <dt>{name}</dt>
      <dd>
        {value}
        {aside !== undefined && <div class="aside">{aside}</div>}
      </dd>
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** Where nothing is yet: what it would be, and how to make it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  )
}

export function Waiting({ text = 'Asking…' }: { readonly text?: string }) {
  return (
    <p class="inside soft" role="status">
      <span class="spinner" /> {text}
    </p>
  )
}
