import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { SwitchDeps } from './plan-changes.ts'

/** Before the write: once an entry points elsewhere, only this says how long its content has to stay. */
export async function retireContents(
  entries: readonly CatalogueEntry[],
  { contents, now }: Pick<SwitchDeps, 'contents' | 'now'>,
): Promise<void> {
  const replaced = new Set(entries.flatMap(({ state }) => (state.status === 'active' ? state.contentId : [])))
  for (const contentId of replaced) await contents.retireContent(contentId, now())
}
