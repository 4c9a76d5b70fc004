/** Names of states and territories by the two letters that NPPES has. Source: USPS Publication 28, appendix B. */
const names =
  'AL Alabama,AK Alaska,AS American Samoa,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
  'DC District of Columbia,FL Florida,GA Georgia,GU Guam,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
  'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,' +
  'MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,' +
  'ND North Dakota,MP Northern Mariana Islands,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,' +
  'RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VI Virgin Islands,' +
  'VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming'

const letters = new Map(names.split(',').map((entry) => [entry.slice(3).toLowerCase(), entry.slice(0, 2)]))

/** The longest names first, so that West Virginia is not read as Virginia. */
const longestFirst = [...letters.keys()].sort((a, b) => b.length - a.length)

const writtenName = new RegExp(
  `(?<![\\p{L}\\d])(?:${longestFirst.map((name) => name.replaceAll(' ', '\\s+')).join('|')})(?![\\p{L}\\d])`,
  'giu',
)

/** Replaces the names of states in a text by their two letters. */
export const abbreviateStates = (text: string): string =>
  text.replace(writtenName, (name) => letters.get(name.toLowerCase().replace(/\s+/g, ' ')) ?? name)
