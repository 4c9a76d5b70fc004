import { ExtremesView } from '../highlights/extremes-view.tsx'
import { MatrixView } from '../matrix/matrix-view.tsx'
import { PictureButtons } from '../plot/picture-buttons.tsx'
import { CountingFacts } from './counting-facts.tsx'
import { PriceTable } from './price-table.tsx'
import { Rates } from './rates.tsx'

/** The views below the plot of a result. They are loaded after it, so that the answer need not wait for their code. */
export const resultParts = { CountingFacts, ExtremesView, MatrixView, PictureButtons, PriceTable, Rates }

export type ResultParts = typeof resultParts
