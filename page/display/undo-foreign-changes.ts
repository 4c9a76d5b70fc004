import { options } from 'preact'

/**
 * Puts back what others have changed in a part of the page each time before Preact renders.
 *
 * Browsers and extensions that translate replace text nodes, or add their texts beside them. Preact would go on writing
 * into nodes that nobody sees, and the price of one code would stay beside the name of another. A translator that
 * follows the page translates it again.
 *
 * @param root has the page, rendered for the first time
 */
export function undoForeignChanges(root: HTMLElement): void {
  let records: readonly MutationRecord[] = []
  const observer = new MutationObserver((latest) => {
    records = [...records, ...latest]
  })
  observer.observe(root, { childList: true, subtree: true })
  options.debounceRendering = (renderQueue) =>
    queueMicrotask(() => {
      const foreign = [...records, ...observer.takeRecords()]
      if (foreign.some(changesText)) foreign.toReversed().forEach(undo)
      try {
        renderQueue()
      } finally {
        records = []
        observer.takeRecords()
      }
    })
}

/** Buttons of extensions, such as those of password managers, add no text: they may stay. */
const changesText = ({ addedNodes, removedNodes }: MutationRecord) =>
  removedNodes.length > 0 || [...addedNodes].some(({ textContent }) => textContent?.trim())

function undo({ target, addedNodes, removedNodes, nextSibling }: MutationRecord): void {
  for (const node of addedNodes) if (node.parentNode === target) target.removeChild(node)
  const place = nextSibling?.parentNode === target ? nextSibling : null
  for (const node of removedNodes) target.insertBefore(node, place)
}
