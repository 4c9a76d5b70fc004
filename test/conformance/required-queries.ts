import type { Route } from '../../contract/routes.ts'

/** The parameters that calls refuse to be without, with values of the samples. */
export const requiredQueries: Readonly<Partial<Record<Route['operation'], Readonly<Record<string, string>>>>> = {
  'list-billing-codes': { q: 'knee' },
  'list-providers': { zip: '97205' },
}
