/** A page that stands alone with a bundle in it: it opens from a disk, answers queries and connects to nothing. */
import { startPages } from "../../pages/routes.tsx";

startPages();
