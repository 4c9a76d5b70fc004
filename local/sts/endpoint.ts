import type { LocalEndpoint } from '../endpoint.ts'
import { startSts } from './server.ts'

/** STS, for functions that assume a role. */
export const stsEndpoint: LocalEndpoint = {
  start: async ({ credentials, now, observe }) => {
    const server = await startSts({ credentials, now })
    return { environment: { AWS_ENDPOINT_URL_STS: await observe('sts', server.url) }, close: server.close }
  },
}
