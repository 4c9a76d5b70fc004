import { ChangeLine } from '../compare/change-line.tsx'
import { compareFiles } from '../compare/compare-files.ts'
import { Comparison } from '../compare/comparison.tsx'
import { resultParts } from '../result/result-parts.ts'
import { SummaryView } from '../summary/summary-view.tsx'
import { Downloads } from './downloads.tsx'
import { SearchFacts } from './facts.tsx'

/** The build of this file: `page/display/lazy-part.tsx` compares it with its own. */
export const build = '{build}'

/** Parts of the view of a search that nobody sees before its answer and its plot, which they are loaded after. */
export const searchParts = { ...resultParts, ChangeLine, Comparison, compareFiles, Downloads, SearchFacts, SummaryView }

export type SearchParts = typeof searchParts
