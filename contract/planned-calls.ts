import type { Contract } from './call.ts'
import { contract } from './calls.ts'
import {
  checksum,
  manifest,
  manifestAttempt,
  manifestFeeSchedule,
  manifestShard,
  resultColumn,
} from './schemas/manifest.ts'

const { calls, components, routes } = contract

/**
 * The API with the calls that are agreed and not built. What is built moves to `routes.ts` and `calls.ts`; nothing but
 * tests reads this, so that neither the gateway nor the document promises it.
 */
export const plannedContract = {
  routes: [
    ...routes,
    { method: 'GET', path: '/v1/searches/{job_id}/manifest', operation: 'get-manifest', auth: 'key' },
  ],
  calls: {
    ...calls,
    'get-manifest': {
      summary: 'Get the manifest of a search',
      description:
        'What the search asked for and read, in every state; once it has completed also rows, columns, and every file with its size, checksum and a URL signed anew.',
      success: { status: 200, description: 'The manifest as it is now.', body: manifest },
      errors: ['not_found'],
    },
  },
  components: {
    ...components,
    Manifest: manifest,
    ManifestAttempt: manifestAttempt,
    ManifestFeeSchedule: manifestFeeSchedule,
    ManifestShard: manifestShard,
    Checksum: checksum,
    ResultColumn: resultColumn,
  },
} as const satisfies Contract
