/** ⌘K: go somewhere, find something, do something. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useRef, useState } from 'react'
import { parseSearch } from '../../../src/core/documents/search-operators.ts'
import type { ApiError } from '../api/call.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { SearchResults } from '../api/types.ts'
import { amountsIn } from '../design/amounts-in.ts'
import { focusFirst } from '../design/first-focus.ts'
import { Icon, type IconName } from '../design/icon.tsx'
import type { Awaited } from '../design/lazy-part.tsx'
import { useFoundConnections } from './found-connections.ts'
import { type Place, groupsOfResults, placeOf } from './found-places.ts'
import { useOfferedActions } from './page-actions.ts'
import { places } from './places.ts'

interface Item {
  id: string
  /** Those of one group stand together, under its name. */
  group: string
  title: string
  detail?: string
  icon: IconName
  /** Why it cannot be run now. */
  refusal?: string | undefined
  /** It leads to more items here. */
  staysOpen?: true
  run: () => void
}

interface PaletteProps extends Awaited {
  onClose: () => void
  onHelp: () => void
  onCalls: () => void
  onWorkbench: () => void
}

const CommandPalette = (props: PaletteProps) => {
  const { onClose, typed = '' } = props
  const [text, setText] = useState(typed)
  const popup = useRef<HTMLDivElement>(null)
  const { items, note, restrictions } = useItems(text, props)
  return (
    <Dialog.Root defaultOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[#00000066]" />
        <Dialog.Popup
          ref={popup}
          initialFocus={() => focusFirst(popup.current)}
          aria-label="Search and commands"
          className="fixed top-[12vh] inset-x-0 z-50 mx-auto w-[calc(100vw-2rem)] max-w-[40rem] overflow-hidden rounded-lg bg-raised popup-shadow outline-none"
        >
          <Autocomplete.Root
            open
            inline
            items={groupsOf(items)}
            filter={null}
            value={text}
            onValueChange={setText}
            itemToStringValue={(item: Item) => item.title}
            autoHighlight="always"
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Icon name="search" className="text-faint" />
              <Autocomplete.Input
                aria-label="Search and commands"
                placeholder="Search, or type a command"
                className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
              />
            </div>
            <Restrictions shown={restrictions} />
            <Autocomplete.List className="max-h-[50vh] scroll-pt-9 overflow-y-auto p-2 outline-none">
              {({ value, items }: Group) => (
                <Autocomplete.Group key={value} items={items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
                    {value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Item) => <Row key={item.id} item={item} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <Autocomplete.Status className="px-4 text-center text-muted">
              {note && <span className="block pb-6">{note}</span>}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export default CommandPalette

interface Group {
  value: string
  items: Item[]
}

/** In the order of the first of each: the best result stays the first. */
const groupsOf = (items: readonly Item[]): Group[] =>
  [...new Set(items.map(({ group }) => group))].map((value) => ({
    value,
    items: items.filter(({ group }) => group === value),
  }))

/** What the service reads as operators, so that people learn them. */
const Restrictions = ({ shown }: { shown: readonly string[] }) =>
  shown.length > 0 && (
    <ul aria-label="Restrictions" className="flex flex-wrap gap-1.5 px-4 pt-3">
      {shown.map((one, place) => (
        <li key={place} className="rounded-md bg-hover px-2 py-0.5 font-mono text-sm break-all">
          {one}
        </li>
      ))}
    </ul>
  )

/** What cannot be run now can be reached and read. */
const Row = ({ item }: { item: Item }) => {
  const { icon, title, detail, refusal } = item
  const isRefused = refusal !== undefined
  return (
    <Autocomplete.Item
      value={item}
      aria-disabled={isRefused}
      onClick={(event) => {
        // The text would become the title of the item.
        if (isRefused || item.staysOpen) event.preventBaseUIHandler()
        if (!isRefused) item.run()
      }}
      className="flex min-h-9 cursor-default items-center gap-3 rounded-md px-2.5 py-1 data-highlighted:bg-hover"
    >
      <Icon name={icon} className={isRefused ? 'text-faint' : 'text-muted'} />
      {/* On a narrow screen, what is said of a result stands below its name. */}
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
        <span className="min-w-0 grow basis-3/5 sm:basis-0">
          <span className={`block truncate ${isRefused ? 'text-muted' : ''}`}>{title}</span>
          {isRefused && <span className="block text-sm text-muted">{refusal}</span>}
        </span>
        {!isRefused && <span className="max-w-full truncate text-sm text-muted">{detail}</span>}
      </span>
    </Autocomplete.Item>
  )
}

interface SearchState {
  error: ApiError | null
  isFetching: boolean
}

interface Found {
  items: Item[]
  /** What is said of the search. */
  note: string | undefined
  /** As they were written. */
  restrictions: string[]
}

const useItems = (text: string, props: PaletteProps): Found => {
  const { onHelp, onCalls, onWorkbench, onClose } = props
  const navigate = useNavigate()
  const org = useSession().organization.id
  const query = useDeferredValue(text.trim())
  const { restrictions, problems } = parseSearch(query)
  const [problem] = problems
  const isSearched = query.length > 1 && problem === undefined
  const search = useRead<SearchResults>(
    '/v1/search',
    { q: query, limit: 8 },
    { isEnabled: isSearched },
  )
  // Where the service has not looked at all of them.
  const isCut = isSearched && search.data?.has_more === true
  const [areAllAsked, setAreAllAsked] = useState(false)
  const connections = useFoundConnections(query, isCut && areAllAsked)
  const show = ({ to, params = {}, search = {} }: Place) =>
    void navigate({ to: to as '/o/$org', params: { org, ...params }, search })
  const goTo = (to: string, params?: Place['params'], search?: Place['search']) => () => {
    onClose()
    show({ to, params, search })
  }
  const commands: Item[] = [
    {
      id: 'new',
      group: 'Actions',
      title: 'Create a document',
      detail: 'C',
      icon: 'plus',
      run: goTo('/o/$org/documents/new'),
    },
    ...places.map(({ title, to, icon, keys = '' }) => ({
      id: to,
      group: 'Pages',
      title: `Go to ${title}`,
      detail: keys.toUpperCase(),
      icon,
      run: goTo(to),
    })),
    {
      id: 'calls',
      group: 'Tools',
      title: 'Show the API calls of this page',
      detail: '.',
      icon: 'code',
      run: onCalls,
    },
    {
      id: 'workbench',
      group: 'Tools',
      title: 'Open or close the Workbench',
      detail: '`',
      icon: 'workbench',
      run: () => {
        onClose()
        onWorkbench()
      },
    },
    {
      id: 'help',
      group: 'Tools',
      title: 'Show keyboard shortcuts',
      detail: '?',
      icon: 'keyboard',
      run: onHelp,
    },
  ]
  const actions = useOfferedActions().map(({ key, run, ...action }) => ({
    ...action,
    group: 'Actions',
    detail: key?.toUpperCase() ?? '',
    icon: 'documents' as const,
    run: () => {
      onClose()
      run()
    },
  }))
  const words = text.trim().toLowerCase()
  const results = isSearched ? (search.data?.data ?? []) : []
  const inDocuments = {
    id: 'in-documents',
    title: 'Search all documents',
    icon: 'search' as const,
    group: 'Documents',
    detail: 'There is more than is shown here',
    run: goTo('/o/$org/documents', {}, { query: text.trim() }),
  }
  const inConnections = {
    id: 'in-connections',
    title: 'Search all connections',
    icon: 'search' as const,
    group: 'Connections',
    detail: 'Older ones too, by their name',
    staysOpen: true as const,
    run: () => setAreAllAsked(true),
  }
  const items = [
    ...results.map(({ object, id, title, subtitle }) => ({
      id,
      title: object === 'payment' ? amountsIn(title) : title,
      detail: object === 'document' ? amountsIn(subtitle ?? '') : (subtitle ?? ''),
      group: groupsOfResults[object].group,
      icon: groupsOfResults[object].icon,
      run: () => {
        onClose()
        void placeOf({ object, id, subtitle }).then(show)
      },
    })),
    ...connections.found
      .filter(({ id }) => results.every((result) => result.id !== id))
      .map(({ id, name, isActive }) => ({
        id,
        title: name,
        detail: isActive ? 'active' : 'not active',
        group: 'Connections',
        icon: 'connections' as const,
        run: goTo('/o/$org/documents', {}, { connection: id }),
      })),
    ...(isCut ? [inDocuments] : []),
    ...(isCut && !areAllAsked ? [inConnections] : []),
    ...[...actions, ...commands].filter(({ title }) => title.toLowerCase().includes(words)),
  ]
  return {
    items,
    note: problem?.message ?? connections.note ?? noteOf(search, items.length),
    restrictions: restrictions.map(({ shown }) => shown),
  }
}

const noteOf = ({ error, isFetching }: SearchState, count: number): string | undefined => {
  if (error !== null) return error.explanation
  if (count > 0) return undefined
  if (isFetching) return 'Searching…'
  return 'Nothing is found. Numbers, references, names, line texts and amounts are searched.'
}
