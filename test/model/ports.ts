import type { Access } from '../../core/access/ports.ts'
import type { Announcements } from '../../core/announcements.ts'
import type { CreationLookup, JobLookup, UrlSigner } from '../../core/calls/ports.ts'
import type { Catalogue, Contents } from '../../core/catalogue/ports.ts'
import type { Job } from '../../core/job/job.ts'
import type { JobHistory } from '../../core/job/job-history.ts'
import type { CountEnd, JobHolders, JobList, Jobs, UnendedJobs } from '../../core/job/ports.ts'
import type { ByteUsages, RateUsages, UsageReviews, Usages } from '../../core/limits/ports.ts'
import type { Log } from '../../core/log.ts'
import type { FileLists, ListFaults, Queries } from '../../core/search/ports.ts'
import type { ResultFiles, WatchedWorkflow } from '../../core/workflow/ports.ts'

/** All ports of the service, shared by its functions. */
export interface Ports {
  readonly access: Access
  readonly lookup: JobLookup
  readonly recordedLookup: JobLookup<Job & JobHistory>
  readonly list: JobList
  readonly jobs: Jobs
  readonly unended: UnendedJobs
  readonly catalogue: Catalogue
  readonly contents: Contents
  readonly fileLists: FileLists
  readonly listFaults: ListFaults
  readonly countListFault: () => void
  readonly queries: Queries
  readonly workflow: WatchedWorkflow
  readonly resultFiles: ResultFiles
  readonly signer: UrlSigner
  readonly log: Log
  readonly countEnd: CountEnd
  readonly creationLookup: CreationLookup
  readonly usages: Usages
  readonly byteUsages: ByteUsages
  readonly estimateUsages: RateUsages
  readonly reviews: UsageReviews
  readonly holders: JobHolders
  readonly announcements: Announcements
}
