import type { Contract } from './call.ts'
import { contract } from './calls.ts'
import { estimate, estimatedFeeSchedule } from './schemas/estimates.ts'
import { feeSchedulesLimit, namedFeeSchedule, namePrefix, payer } from './schemas/fee-schedules.ts'
import {
  checksum,
  manifest,
  manifestAttempt,
  manifestFeeSchedule,
  manifestShard,
  resultColumn,
} from './schemas/manifest.ts'
import { searchesLimit, searchesPage, searchSummary, statusFilter } from './schemas/search-list.ts'
import { searchRequest } from './schemas/searches.ts'
import { cursorParameter } from './schemas/values.ts'

const { calls, components, routes } = contract
const { 'list-fee-schedules': listFeeSchedules } = calls

/**
 * The API with the calls that are agreed and not built. What is built moves to `routes.ts` and `calls.ts`; nothing but
 * tests reads this, so that neither the gateway nor the document promises it.
 */
export const plannedContract = {
  routes: [
    ...routes,
    { method: 'GET', path: '/v1/searches', operation: 'list-searches', auth: 'key' },
    { method: 'HEAD', path: '/v1/searches', operation: 'list-searches', auth: 'key' },
    { method: 'HEAD', path: '/v1/searches/{job_id}', operation: 'get-search', auth: 'key' },
    { method: 'GET', path: '/v1/searches/{job_id}/manifest', operation: 'get-manifest', auth: 'key' },
    { method: 'POST', path: '/v1/estimates', operation: 'estimate-search', auth: 'key' },
  ],
  calls: {
    ...calls,
    'list-fee-schedules': {
      ...listFeeSchedules,
      query: { payer, q: namePrefix, limit: feeSchedulesLimit, cursor: cursorParameter },
    },
    'list-searches': {
      summary: 'List searches',
      description:
        'The searches of the organization, the newest first. A search can appear a moment after it was created.',
      query: { status: statusFilter, limit: searchesLimit, cursor: cursorParameter },
      success: { status: 200, description: 'One page.', body: searchesPage },
      errors: ['invalid_request'],
    },
    'get-manifest': {
      summary: 'Get the manifest of a search',
      description:
        'What the search asked for and read, in every state; once it has completed also rows, columns, and every file with its size, checksum and a URL signed anew.',
      success: { status: 200, description: 'The manifest as it is now.', body: manifest },
      errors: ['not_found'],
    },
    'estimate-search': {
      summary: 'Estimate a search',
      description: 'Takes the body of a search and says what it would read, without starting it.',
      body: searchRequest,
      success: { status: 200, description: 'The estimate.', body: estimate },
      errors: ['invalid_request', 'payload_too_large', 'unsupported_media_type'],
    },
  },
  components: {
    ...components,
    SearchesPage: searchesPage,
    SearchSummary: searchSummary,
    Manifest: manifest,
    ManifestAttempt: manifestAttempt,
    ManifestFeeSchedule: manifestFeeSchedule,
    ManifestShard: manifestShard,
    Checksum: checksum,
    ResultColumn: resultColumn,
    Estimate: estimate,
    EstimatedFeeSchedule: estimatedFeeSchedule,
    NamedFeeSchedule: namedFeeSchedule,
  },
} as const satisfies Contract
