/** Two-digit places of service. Source: CMS, "Place of Service Code Set". */
const places = new Set(
  '01-27 31-34 41-42 49-58 60-62 65-66 71-72 81 99'.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, index) =>
      String((first ?? 0) + index).padStart(2, '0'),
    )
  }),
)

/** What a part must be: there is no free list of modifiers, but all have two characters. */
const known: Readonly<Record<string, (part: string) => boolean>> = {
  service_code: (part) => places.has(part),
  billing_code_modifier: (part) => /^[0-9A-Z]{2}$/.test(part),
}

/**
 * Splits a text that packs several codes, such as `52,53` or `11; 22`.
 *
 * @param field `service_code` or `billing_code_modifier`; texts of others are never split
 * @returns the codes; undefined unless there are several, and each is one
 */
export function splitPacked(field: string, text: string): readonly string[] | undefined {
  const isKnown = known[field]
  if (isKnown === undefined || !/[,;|]/.test(text)) return undefined
  const parts = text.split(/[,;|]/).map((part) => part.trim())
  return parts.every(isKnown) ? parts : undefined
}
