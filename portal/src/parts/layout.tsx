import type { ComponentChildren } from 'preact'
import { linkTo } from '../shell/link.ts'

interface HeadProps {
  readonly title: ComponentChildren
  /** The parent page, which lists items such as this one. */
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
  /** Content at the right of the panel's head. */
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

/** The placeholder for an empty list: what it would contain, and how to create the first entry. */
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
