import { once } from 'node:events'
import { startLocalService } from '../../bin/command/local-service.ts'
import { seedOnce } from '../../bin/samples/seed.ts'
import { waitForQueries } from '../local/query-wait.ts'
import { exhaustQueries } from './exhaust-queries.ts'

/**
 * Runs the service like `npm start -- --port 0 --json --data <folder>`, except that start-query hands its query over to
 * await-query at once, and that some queries run out of memory. On this machine queries would end before start-query
 * stops waiting.
 */
const [dataFolder = ''] = process.argv.slice(2)
const stopped = once(process, 'SIGINT')
const service = await startLocalService(dataFolder, 0, { adjust: waitForQueries(0), observe: exhaustQueries })
try {
  const organizations = await seedOnce(service, dataFolder)
  process.stdout.write(`${JSON.stringify({ base_url: service.baseUrl, organizations })}\n`)
  await stopped
} finally {
  await service.close()
}
