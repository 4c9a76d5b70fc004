import { join } from 'node:path'
import type { LocalEndpoint, LocalEnvironment } from '../endpoint.ts'
import { startAthena } from './server.ts'
import type { ResultStore } from './unload.ts'

export interface AthenaEndpointOptions {
  /** Connects Athena to S3, using the variables in `environment`. */
  readonly connectObjects: (environment: LocalEnvironment) => ResultStore
  /** Location of results and manifests, `s3://bucket/prefix/`. */
  readonly queryResults: string
  /** Maximum number of result files per query. @default - the local Athena's */
  readonly filesPerQuery?: number
  /** Memory for all queries together, in bytes. @default - the local Athena's */
  readonly memoryBytes?: number
}

/** Athena, which queries the warehouse of the data folder. */
export const athenaEndpoint = ({
  connectObjects,
  queryResults,
  filesPerQuery,
  memoryBytes,
}: AthenaEndpointOptions): LocalEndpoint => ({
  start: async ({ dataFolder, warehouseFolder, environment, now, newId, observe }) => {
    const server = await startAthena({
      warehouseFolder,
      objects: connectObjects(environment),
      scratchFolder: join(dataFolder, 'athena'),
      outputLocation: queryResults,
      now,
      newId,
      ...(filesPerQuery !== undefined && { filesPerQuery }),
      ...(memoryBytes !== undefined && { memoryBytes }),
    })
    return { environment: { AWS_ENDPOINT_URL_ATHENA: await observe('athena', server.url) }, close: server.close }
  },
})
