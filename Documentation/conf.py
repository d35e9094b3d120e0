# SPDX-License-Identifier: GPL-2.0
# For Sphinx; scripts/docs/build calls it.
import re

project = "scounter"
author = "the scounter authors"
copyright = "the scounter authors"
with open("dkms.conf") as conf:
    release = re.search(r'PACKAGE_VERSION="(.*)"', conf.read()).group(1)
html_theme = "alabaster"
html_show_copyright = False
exclude_patterns = ["generated"]
primary_domain = "c"
highlight_language = "none"
c_id_attributes = ["notrace", "__must_check"]
