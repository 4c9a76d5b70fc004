import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { type SwitchDeps, writesAtOnce } from './plan-changes.ts'

/** Called before the entry changes: afterwards only the retirement says how long the old content must be kept. */
export async function retireContents(
  entries: readonly CatalogueEntry[],
  { contents, now }: Pick<SwitchDeps, 'contents' | 'now'>,
): Promise<void> {
  const replaced = new Set(entries.flatMap(({ state }) => (state.status === 'active' ? state.contentId : [])))
  await workAtOnce(replaced, writesAtOnce, (contentId) => contents.retireContent(contentId, now()))
}
