const texts = new Intl.Collator('en', { numeric: true })

/** Compares texts as people order them, numbers in them by their size; by their characters if that is no difference. */
export function compareTexts(one: string | null, other: string | null): number {
  const [first, second] = [one ?? '', other ?? '']
  if (first === second) return 0
  return texts.compare(first, second) || (first < second ? -1 : 1)
}
