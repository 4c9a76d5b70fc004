import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * The heading of a view, which is also the title of its tab. It takes the focus when the view opens, so that a screen
 * reader says where it is.
 */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A control that is already in use keeps the focus.
    if (document.activeElement === document.body || document.activeElement?.tagName === 'A') heading.current?.focus()
  }, [])
  // After each change, because the title of a search is known later than the view opens.
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} – Rate search`
  })
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

/** The title of a search; each part keeps its own direction, because names may be written from right to left. */
export const Title = ({ parts }: { readonly parts: readonly string[] }) =>
  parts.map((part, index) => (
    // Two payers may have plans of the same name.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{part}</bdi>
    </Fragment>
  ))
