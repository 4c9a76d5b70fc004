import type { AccessRecord } from '../../../core/access/ports.ts'
import type { Bug } from './bug.ts'

/** Bugs in answers, in the log and in the sweeper: P4 to P7, P9 and P10. */
export const bugsOfAnswers: readonly Bug[] = [
  {
    name: 'publish-results lists the prefix instead of the manifest',
    property: 'P4',
    ports: ({ resultFiles }, { files }) => ({
      resultFiles: {
        ...resultFiles,
        readManifest: async (manifest) => {
          const prefix = manifest.slice(0, manifest.lastIndexOf('/') + 1)
          return [...files.footers.keys()].filter((key) => key.startsWith(prefix))
        },
      },
    }),
  },
  {
    name: "another organization's job is answered with 403",
    property: 'P5',
    handlers: ({ getSearch }, { runs }) => {
      const own = getSearch
      return {
        getSearch: Object.assign(async (...given: Parameters<typeof own>) => {
          const answer = await own(...given)
          const jobId = given[0].pathParameters?.['job_id']
          if (answer.statusCode !== 404 || !runs.some((run) => run.jobId === jobId)) return answer
          const body = answer.body.replace('not_found', 'forbidden')
          return { ...answer, statusCode: 403, body }
        }, own),
      }
    },
  },
  {
    name: 'URLs cannot be signed',
    property: 'P6',
    ports: ({ signer }) => ({ signer: { ...signer, sign: async () => Promise.reject(new Error('no role')) } }),
  },
  {
    name: 'an answer has a field that the contract does not have',
    property: 'P6',
    handlers: ({ getSearch }) => ({
      getSearch: Object.assign(async (...given: Parameters<typeof getSearch>) => {
        const answer = await getSearch(...given)
        return { ...answer, body: answer.body.replace('{', '{"run":"run1",') }
      }, getSearch),
    }),
  },
  {
    name: 'keys are logged',
    property: 'P7',
    handlers: ({ createSearch }, { ports }) => ({
      createSearch: Object.assign(async (...given: Parameters<typeof createSearch>) => {
        ports.log('asked', { authorization: given[0].headers['Authorization'] ?? '' })
        return createSearch(...given)
      }, createSearch),
    }),
  },
  {
    name: 'signed URLs are logged',
    property: 'P7',
    ports: ({ signer, log }) => ({
      signer: {
        sign: async (shards) => {
          const signed = await signer.sign(shards)
          log('signed', { urls: signed.urls.join() })
          return signed
        },
      },
    }),
  },
  {
    name: 'the sweeper starts executions under a fresh name',
    property: 'P9',
    ports: ({ workflow }) => {
      let starts = 0
      return {
        workflow: {
          ...workflow,
          start: (job) => workflow.start({ ...job, run: starts++ === 0 ? job.run : `again${starts}` }),
        },
      }
    },
  },
  {
    name: 'each sweep ends one more job',
    property: 'P9',
    ports: ({ unended, jobs, countEnd }) => ({
      unended: {
        ...unended,
        list: async (limit) => {
          const listed = await unended.list(limit)
          const [first, ...others] = listed
          if (first === undefined || others.length === 0) return listed
          const failure = { ...first, failedAt: first.createdAt, error: 'timeout: x' }
          if ((await jobs.fail(failure, first.createdAt)) === 'written')
            countEnd({ jobId: first.jobId, word: 'timeout' })
          return listed
        },
      },
    }),
  },
  {
    name: 'inactive organizations are not checked for',
    property: 'P10',
    ports: ({ access }) => ({
      access: {
        ...access,
        readAccess: async (key) => {
          const { organization, ...record } = await access.readAccess(key)
          return { ...record, ...(organization && { organization: { ...organization, active: true } }) }
        },
      },
    }),
  },
  {
    name: 'keys are cached after the first read',
    property: 'P10',
    ports: ({ access }) => {
      const kept = new Map<string, AccessRecord>()
      return {
        access: {
          ...access,
          readAccess: async (key) => {
            const record = kept.get(key.hash) ?? (await access.readAccess(key))
            kept.set(key.hash, record)
            return record
          },
        },
      }
    },
  },
]
